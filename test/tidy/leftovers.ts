import type { RepositoryFile } from './repository.ts';
import { isNode, lineOf, nameOf, parseFile, walk } from './syntax.ts';

/** The brackets keep this file from finding itself. */
const marks = /\b(TO[D]O|FIX[M]E|XX[X])\b/;
const switchedOff = /(@ts[-](?:ignore|nocheck|expect-error)|eslint[-]disable|biome[-]ignore)(.*)/;

/** Unfinished work, silenced checks and tests that run alone. */
export function findLeftovers(files: readonly RepositoryFile[]): readonly string[] {
  return files.filter((file) => /\.(ts|mjs|js|sql|sh)$/.test(file.path)).flatMap(leftoversOf);
}

function leftoversOf(file: RepositoryFile): readonly string[] {
  const problems: string[] = [];
  file.text.split('\n').forEach((line, index) => {
    const where = `${file.path}:${index + 1}`;
    const mark = marks.exec(line);
    if (mark) problems.push(`${where}: ${mark[1]} is unfinished work. Finish it or write an issue.`);
    const off = switchedOff.exec(line);
    if (!off) return;
    const reason = /^[^:]*:\s*(.*)$/.exec(off[2] ?? '')?.[1] ?? '';
    if (off[1]?.startsWith('@ts-') || off[1]?.startsWith('eslint')) {
      problems.push(`${where}: ${off[1]} hides an error. Fix the type.`);
    } else if (reason.replace(/\*\/.*$/, '').trim().length < 10) {
      problems.push(`${where}: a silenced lint rule needs its reason on the same line.`);
    }
  });
  if (/\.(ts|mjs|js)$/.test(file.path)) problems.push(...syntaxLeftovers(file));
  return problems;
}

function syntaxLeftovers(file: RepositoryFile): readonly string[] {
  const problems: string[] = [];
  walk(parseFile(file), (node) => {
    const where = (): string => `${file.path}:${lineOf(file, node)}`;
    const type = node.typeAnnotation;
    if (node.type === 'TSAsExpression' && isNode(type) && type.type === 'TSAnyKeyword') {
      problems.push(`${where()}: "as any" gives up the type. Use unknown and narrow it.`);
    }
    const callee = node.callee;
    if (node.type !== 'CallExpression' || !isNode(callee) || callee.type !== 'MemberExpression') return;
    const method = nameOf(callee.property);
    if (/^(describe|it|test)$/.test(nameOf(callee.object)) && /^(only|todo)$/.test(method)) {
      problems.push(`${where()}: .${method}() leaves other tests, or this one, unrun.`);
    }
  });
  return problems;
}
