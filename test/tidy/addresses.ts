import type { RepositoryFile } from './repository.ts';

/** Each pattern is written so that its own source text does not match it. */
const patterns: readonly { readonly pattern: RegExp; readonly problem: string }[] = [
  {
    pattern: /"resolved":\s*"(?:https?|git|ssh)[^"]*"/,
    problem: 'a lockfile names where it downloaded from. Keep omit-lockfile-registry-resolved=true in .npmrc.',
  },
  { pattern: /\bregistry\.[a-z0-9-]+\.[a-z]{2,}\b/i, problem: 'the host name of a package registry.' },
  {
    pattern: /\bhttps?:\/\/[^\s"'`)]+\.(?:tgz|tar\.gz|tar\.xz|zip|deb|jar|whl)\b/i,
    problem: 'a download address. Name the package and its version instead.',
  },
  {
    pattern: /(?<![\w.:/~})\]-])\/(?:home|root|work|Users)\/[\w.-]/,
    problem: 'a path of somebody’s machine. Use a relative one, or os.tmpdir().',
  },
];

/** Where things came from, and where they once lay, stays out of the repository. */
export function findAddresses(files: readonly RepositoryFile[]): readonly string[] {
  return files.flatMap((file) =>
    file.text
      .split('\n')
      .flatMap((line, index) =>
        patterns
          .filter(({ pattern }) => pattern.test(line))
          .map(({ problem }) => `${file.path}:${index + 1}: ${problem}`),
      ),
  );
}
