/** Telemetry must not know the lock's file: whoever does not name it cannot read it. Event names hold the word, too. */
import type { RepositoryFile } from './repository.ts';

export function findLockFileNames(files: readonly RepositoryFile[]): readonly string[] {
  return files
    .filter(({ path }) => /^src\/(systems|browser)\/telemetry\//.test(path) && !path.endsWith('.test.ts'))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, i) =>
          /(^|[^a-z])\.lock(?![.a-z])/.test(line) ? [`${path}:${i + 1}: telemetry names the lock's file.`] : [],
        ),
    );
}
