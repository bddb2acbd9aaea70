import { isShipped, type RepositoryFile } from './repository.ts';
import { importsOf, isNode, lineOf, nameOf, parseFile, type SyntaxNode, walk } from './syntax.ts';

/** Ambient time, timers and chance, each with what to use. `src/platform` is the one place that may touch them. */
const bannedGlobals: Readonly<Record<string, string>> = {
  Date: '`clock.wallMs()` of a Clock',
  clearImmediate: 'the timer that `clock.after()` returns',
  clearInterval: 'the timer that `clock.after()` returns',
  clearTimeout: 'the timer that `clock.after()` returns',
  crypto: '`random.hex()` of a Random, or `platform.sha256`',
  performance: '`clock.monotonicMs()` of a Clock',
  setImmediate: '`clock.after(0, …)` of a Clock',
  setInterval: '`clock.after()` of a Clock, again after each run',
  setTimeout: '`clock.after()` of a Clock',
};

const bannedMembers: Readonly<Record<string, string>> = {
  'AbortSignal.timeout': '`clock.after()` and an AbortController',
  'Math.random': '`random.fraction()` of a Random',
  'process.hrtime': '`clock.monotonicMs()` of a Clock',
  'process.uptime': '`clock.monotonicMs()` of a Clock',
};

const bannedModules: Readonly<Record<string, string>> = {
  'node:perf_hooks': '`clock.monotonicMs()` of a Clock',
  'node:timers': '`clock.after()` of a Clock',
  'node:timers/promises': '`clock.after()` of a Clock',
};

const randomNames = new Set([
  'getRandomValues',
  'randomBytes',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'webcrypto',
]);

export function findBannedCalls(files: readonly RepositoryFile[]): readonly string[] {
  return files.filter((file) => isShipped(file) && !file.path.startsWith('src/platform/')).flatMap(bannedCallsOf);
}

function bannedCallsOf(file: RepositoryFile): readonly string[] {
  const problems: string[] = [];
  const report = (line: number, what: string, use: string): void => {
    problems.push(`${file.path}:${line}: ${what} is ambient. Use ${use}.`);
  };
  for (const { specifier, names, line } of importsOf(file)) {
    const use = bannedModules[specifier];
    if (use) report(line, specifier, use);
    const random = specifier === 'node:crypto' && names.find((name) => randomNames.has(name));
    if (random) report(line, random, '`random.hex()` of a Random');
  }
  walk(parseFile(file), (node, parent, field) => {
    const name = globalNameOf(node, parent, field);
    const use = name === undefined ? undefined : (bannedGlobals[name] ?? bannedMembers[name]);
    if (name !== undefined && use !== undefined) report(lineOf(file, node), name, use);
  });
  return problems;
}

/** `Date`, `Math.random` or `globalThis.Date`, where it is a value and not the name of a field or a type. */
function globalNameOf(node: SyntaxNode, parent: SyntaxNode | undefined, field: string): string | undefined {
  if (node.type === 'MemberExpression') {
    const object = nameOf(node.object);
    const property = node.computed === true && !isString(node.property) ? '' : nameOf(node.property);
    return object === 'globalThis' ? property : `${object}.${property}`;
  }
  if (node.type !== 'Identifier' || !parent) return undefined;
  const isFieldName = (field === 'property' || field === 'key') && parent.computed !== true;
  const isTypeName =
    parent.type.startsWith('TS') && parent.type !== 'TSAsExpression' && parent.type !== 'TSNonNullExpression';
  const isImported = parent.type.endsWith('Specifier');
  return isFieldName || isTypeName || isImported ? undefined : nameOf(node);
}

function isString(node: unknown): boolean {
  return isNode(node) && node.type === 'Literal';
}
