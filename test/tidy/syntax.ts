/** Reads a source file's syntax, so that words in comments and strings are never mistaken for code. */
import { parseAst } from 'vitest/node';
import type { RepositoryFile } from './repository.ts';

export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface ModuleImport {
  readonly specifier: string;
  /** Names taken; empty for a side effect, a namespace or a dynamic import. */
  readonly names: readonly string[];
  readonly line: number;
}

export function parseFile(file: RepositoryFile): SyntaxNode {
  const lang = file.path.endsWith('.ts') ? 'ts' : 'js';
  // A hash-bang is legal, and our parser wants to be told nothing about it.
  return parseAst(file.text, { lang }) as unknown as SyntaxNode;
}

/** Calls `visit` for every node, parents first. `field` is the parent's field that holds the node. */
export function walk(
  root: SyntaxNode,
  visit: (node: SyntaxNode, parent: SyntaxNode | undefined, field: string) => void,
): void {
  const step = (node: SyntaxNode, parent: SyntaxNode | undefined, field: string): void => {
    visit(node, parent, field);
    for (const [name, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) step(child, node, name);
    }
  };
  step(root, undefined, '');
}

export function lineOf(file: RepositoryFile, node: SyntaxNode): number {
  return file.text.slice(0, node.start).split('\n').length;
}

/** Static imports, re-exports, `import('…')` and `new URL('./…', import.meta.url)` (a worker or a child process). */
export function importsOf(file: RepositoryFile): readonly ModuleImport[] {
  const imports: ModuleImport[] = [];
  walk(parseFile(file), (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) imports.push({ specifier, names: importedNames(node), line: lineOf(file, node) });
  });
  return imports;
}

/** Names a module exports, types included. */
export function exportsOf(file: RepositoryFile): readonly string[] {
  const names: string[] = [];
  walk(parseFile(file), (node) => {
    if (node.type === 'ExportDefaultDeclaration') names.push('default');
    if (node.type !== 'ExportNamedDeclaration') return;
    for (const specifier of nodes(node, 'specifiers')) names.push(nameOf(specifier.exported));
    const declaration = node.declaration;
    if (!isNode(declaration)) return;
    if (isNode(declaration.id)) names.push(nameOf(declaration.id));
    for (const declarator of nodes(declaration, 'declarations')) names.push(nameOf(declarator.id));
  });
  return names.filter((name) => name !== '');
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';
}

export function nodes(node: SyntaxNode, field: string): readonly SyntaxNode[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of an identifier or the value of a string, else the empty string. */
export function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  const name = node.name ?? node.value;
  return typeof name === 'string' ? name : '';
}

function specifierOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
    case 'ImportDeclaration':
    case 'ImportExpression':
      return nameOf(node.source) || undefined;
    case 'TSImportType':
      return nameOf(node.source ?? node.argument) || undefined;
    case 'NewExpression': {
      const first = nameOf(nodes(node, 'arguments')[0]);
      return nameOf(node.callee) === 'URL' && first.startsWith('.') ? first : undefined;
    }
    default:
      return undefined;
  }
}

function importedNames(node: SyntaxNode): readonly string[] {
  return nodes(node, 'specifiers')
    .map((specifier) => nameOf(specifier.imported ?? specifier.local))
    .filter((name) => name !== '');
}
