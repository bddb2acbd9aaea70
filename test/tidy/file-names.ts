import type { RepositoryFile } from './repository.ts';

const buckets = /^(common|helpers?|lib|misc|shared|tools|types|utils?)$/;
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Code files and their folders: kebab-case, and no bucket that everything falls into. */
export function findBadNames(files: readonly RepositoryFile[]): readonly string[] {
  const problems: string[] = [];
  for (const { path } of files) {
    const match = /^(?:src|test|scripts|bench)\/(.*?)\.(?:test-d\.ts|test\.ts|d\.ts|ts|mjs|js|sql)$/.exec(path);
    for (const part of match?.[1]?.split('/') ?? []) {
      if (buckets.test(part)) {
        problems.push(`${path}: "${part}" names no idea. A thing that has no name yet is not finished.`);
      } else if (!kebab.test(part)) problems.push(`${path}: "${part}" is not kebab-case.`);
    }
  }
  return problems;
}
