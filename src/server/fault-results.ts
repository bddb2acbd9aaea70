/** What the fault runner wrote down: one line of JSON per run. The newest of each name counts. */
import { readFileSync } from 'node:fs';

export interface FaultResult {
  readonly name: string;
  readonly title: string;
  readonly ok: boolean;
  readonly rounds: number;
  readonly seed?: number;
  readonly seconds: number;
  /** ISO 8601. */
  readonly date: string;
}

/** By name; none where nothing was written. A torn line is passed over: the file is appended to. */
export function readFaultResults(path: string): readonly FaultResult[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  const newest = new Map<string, FaultResult>();
  for (const line of text.split('\n')) {
    const result = parse(line);
    if (result && result.date >= (newest.get(result.name)?.date ?? '')) newest.set(result.name, result);
  }
  return [...newest.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function parse(line: string): FaultResult | undefined {
  try {
    const value = JSON.parse(line) as Partial<FaultResult>;
    const sound =
      typeof value.name === 'string' &&
      typeof value.title === 'string' &&
      typeof value.ok === 'boolean' &&
      typeof value.date === 'string' &&
      typeof value.rounds === 'number' &&
      typeof value.seconds === 'number';
    return sound ? (value as FaultResult) : undefined;
  } catch {
    return undefined;
  }
}
