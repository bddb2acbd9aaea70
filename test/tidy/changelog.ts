import { fileAt, type RepositoryFile } from './repository.ts';

/** The changelog has a place for what comes next, or one for the version in package.json, and something stands there. */
export function findChangelogGaps(files: readonly RepositoryFile[]): readonly string[] {
  const { version } = JSON.parse(fileAt(files, 'package.json').text) as { version: string };
  const sections = fileAt(files, 'CHANGELOG.md').text.split(/^## /m).slice(1);
  const current = sections.filter(
    (section) => section.startsWith('[Unreleased]') || section.startsWith(`[${version}]`),
  );
  if (current.length === 0) return [`CHANGELOG.md: there is neither "## [Unreleased]" nor "## [${version}]".`];
  return current.some((section) => /^- \S/m.test(section))
    ? []
    : ['CHANGELOG.md: the current section says nothing. Every change that a user can see has a line.'];
}
