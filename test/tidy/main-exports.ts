import { isShipped, type RepositoryFile } from './repository.ts';
import { exportsOf } from './syntax.ts';

/** Files named for a family of exports, not for one of them. An exception that is no longer needed is a problem too. */
export const familyFiles: Readonly<Record<string, string>> = {
  'src/cli/compose.ts': 'the one place where stores meet systems: one opener for each',
  'src/cli/options.ts': 'one reader per kind of option',
  'src/core/lease-arguments.ts': 'one check per argument',
  'src/core/ports.ts': 'interfaces only',
  'src/embedded/find-binaries.ts': 'one search per place: the npm package, the machine',
  'src/engine/lease-keeper.ts': 'the keeper, which users make with `createLeases`',
  'src/browser/autosave/ports.ts': 'what is needed from a browser, one shape each',
  'src/browser/project-lock/lock-worker.ts': 'the script of a worker, which exports nothing',
  'src/browser/project-lock/ports.ts': 'what is needed from a browser, one shape each',
  'src/browser/project-lock/rare-parts.ts': 'what a page loads together, when it needs it',
  'src/browser/project-lock/record-rules.ts': 'what may happen to the record, one rule each',
  'src/platform/browser.ts': 'the `platform` of a browser',
  'src/platform/node.ts': 'the `platform` of Node',
  'src/client/route-call.ts': 'the shapes of a call, worked out from the table of routes',
  'src/server/answers/access-answers.ts': 'the shapes of every reply about tokens',
  'src/server/answers/booking-answers.ts': 'the shapes of every reply about bookings',
  'src/server/answers/run-answers.ts': 'the shapes of every reply about many runs',
  'src/server/answers/server-answers.ts': 'the shapes of every reply about the server itself',
  'src/server/answers/telemetry-answers.ts': 'the shapes of every reply about telemetry and flags',
  'src/server/changes/event-text.ts': 'one text per kind of message',
  'src/server/reference/openapi-shape.ts': 'the parts of an OpenAPI document that we use',
  'src/server/run-contract.ts': 'the shapes of every request and reply about many runs',
  'src/server/sign-in/sign-in-contract.ts': 'the shapes of every request about signing in',
  'src/server/booking-contract.ts': 'the shapes of every request and reply about bookings',
  'src/server/contract.ts': 'the shapes of every request and reply',
  'src/server/job-contract.ts': 'the shapes of every request and reply about jobs',
  'src/server/access/token-contract.ts': 'the shapes of every request and reply about tokens',
  'src/server/telemetry-contract.ts': 'the shapes of every request and reply about telemetry and flags',
  'src/server/analysis-contract.ts': 'the shapes of every request and reply about analyses',
  'src/server/paging/page-cursor.ts': 'a cursor, written and read',
  'src/server/paging/page-query.ts': 'the parts of requests and replies that every list shares',
  'src/server/read-request.ts': 'one reader per part of a request',
  'src/sql/schema-name.ts': 'what is done to a schema’s name',
  'src/stores/http/reply-shapes.ts': 'one shape per reply',
  'src/systems/jobs/sql/run-parts.ts': 'pieces that several statements share',
  'src/testing/case-assertions.ts': 'what a test runner would bring, one assertion each',
  'src/testing/cases/keeper-steps.ts': 'the steps that cases of the keeper share',
  'src/testing/cases/line-steps.ts': 'the steps that cases of the line share',
  'src/testing/lease-specification.ts': 'the sequential specification: its state and its step',
  'src/testing/linearizability.ts': 'the checker of histories, which users call `checkHistory`',
  'src/testing/store-history.ts': 'the shapes of a recorded history',
};

/**
 * A file is named after its main export, perhaps without its verb, or without the noun that its folder says already:
 * `retry.ts` may export `retry` or `decideRetry`, `notices.ts` may export `parseNotice`, and `statements/renew.ts` may
 * export `renewStatement`.
 */
export function findMisnamedFiles(
  files: readonly RepositoryFile[],
  exceptions: Readonly<Record<string, string>> = familyFiles,
): readonly string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  for (const file of files.filter(isShipped)) {
    const [name = '', folder = ''] = file.path.slice(0, -'.ts'.length).split('/').reverse();
    if (name === 'index' || name === 'main') continue;
    const names = exportsOf(file);
    if (names.some((exported) => isNamedAfter(exported, name, folder))) continue;
    if (file.path in exceptions) used.add(file.path);
    else problems.push(`${file.path}: exports ${names.join(', ') || 'nothing'}, but nothing called like the file.`);
  }
  for (const path of Object.keys(exceptions)) {
    if (!used.has(path)) problems.push(`${path}: needs no exception in test/tidy/main-exports.ts any more; remove it.`);
  }
  return problems;
}

function isNamedAfter(exported: string, file: string, folder: string): boolean {
  const has = singular(exported);
  const wanted = file.replaceAll('-', '');
  // What is in a folder `sql` is a statement.
  const noun = folder === 'sql' ? 'statement' : singular(folder);
  return [wanted, singular(wanted)].some((name) => has.endsWith(name) || has === `${name}${noun}`);
}

function singular(text: string): string {
  return text.replaceAll('-', '').toLowerCase().replace(/s$/, '');
}
