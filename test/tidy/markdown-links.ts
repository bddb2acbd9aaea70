import { posix } from 'node:path';
import type { RepositoryFile } from './repository.ts';

/** Relative links in Markdown that lead nowhere, to a file or to a heading. */
export function findBrokenLinks(files: readonly RepositoryFile[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const folders = new Set(files.flatMap((file) => foldersOf(file.path)));
  return files
    .filter((file) => file.path.endsWith('.md'))
    .flatMap((file) =>
      linksOf(file.text).flatMap((link) => {
        if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return [];
        const [target = '', anchor] = link.split('#');
        const path =
          target === '' ? file.path : posix.join(posix.dirname(file.path), decodeURI(target)).replace(/\/$/, '');
        if (!byPath.has(path) && !folders.has(path)) return [`${file.path}: the link to ${link} leads nowhere.`];
        const page = byPath.get(path);
        if (anchor === undefined || !page?.path.endsWith('.md') || anchorsOf(page.text).includes(anchor)) return [];
        return [`${file.path}: ${path} has no heading for #${anchor}.`];
      }),
    );
}

function linksOf(markdown: string): readonly string[] {
  const prose = withoutCode(markdown).replace(/`[^`\n]*`/g, '');
  const inline = prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g);
  const reference = prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm);
  return [...inline, ...reference].map((match) => match[1] ?? '').filter((link) => link !== '');
}

/** Heading anchors as code hosts make them: lower case, punctuation dropped, blanks to hyphens. */
function anchorsOf(markdown: string): readonly string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(markdown).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map((match) => {
    const slug = (match[1] ?? '')
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^(`{3,}|~{3,})[\s\S]*?^\1/gm, '');
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return ['.', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}
