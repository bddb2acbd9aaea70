/**
 * One text per JSON value: keys sorted, no spaces. Two inputs are the same if and only if their texts are. What JSON
 * cannot say is refused and not silently changed: a Date, NaN or Map would make different inputs look alike. A
 * property that is undefined counts as absent, as it does in JSON.
 */
import { RunOnceError } from './run-once-error.ts';
import { runOnceLimits } from './run-once-limits.ts';

export function canonicalJson(input: unknown): string {
  const text = write(input, 'input', 0);
  if (text.length > runOnceLimits.inputCharsMax) {
    throw invalid(
      `The input is ${text.length} characters of JSON; at most ${runOnceLimits.inputCharsMax} are allowed.`,
    );
  }
  return text;
}

function write(value: unknown, path: string, depth: number): string {
  if (depth > runOnceLimits.inputDepthMax) {
    throw invalid(`The input is nested more than ${runOnceLimits.inputDepthMax} deep, or contains itself.`);
  }
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw notJson(path, String(value));
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    // Array.from visits holes too, which `map` would skip.
    return `[${Array.from(value, (item, i) => write(item, `${path}[${i}]`, depth + 1)).join(',')}]`;
  }
  if (typeof value !== 'object') throw notJson(path, value === undefined ? 'undefined' : `a ${typeof value}`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw notJson(path, `a ${value.constructor?.name ?? 'class'}`);
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => `${JSON.stringify(name)}:${write(item, `${path}.${name}`, depth + 1)}`);
  return `{${entries.join(',')}}`;
}

function notJson(path: string, what: string): RunOnceError {
  return invalid(
    `${path.slice(0, 200)} is ${what}, which JSON cannot say; convert it before it becomes the input of a run.`,
  );
}

function invalid(message: string): RunOnceError {
  return new RunOnceError(message, { code: 'invalid-argument' });
}
