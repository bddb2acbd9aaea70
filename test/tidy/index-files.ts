import { isShipped, type RepositoryFile } from './repository.ts';
import { isNode, lineOf, nodes, parseFile } from './syntax.ts';

/** `index.ts` holds named re-exports and nothing else: no logic, and no `export *` that widens by itself. */
export function findIndexLogic(files: readonly RepositoryFile[]): readonly string[] {
  return files
    .filter((file) => isShipped(file) && file.path.endsWith('/index.ts'))
    .flatMap((file) =>
      nodes(parseFile(file), 'body')
        .filter((statement) => statement.type !== 'ExportNamedDeclaration' || !isNode(statement.source))
        .map((statement) => `${file.path}:${lineOf(file, statement)}: an index file holds named re-exports only.`),
    );
}
