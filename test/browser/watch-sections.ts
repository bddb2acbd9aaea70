import type { PageServer } from './serve-pages.ts';

export interface SectionReport {
  readonly grants: number;
  /** A section that began while another one was open. The server hears one thing at a time, so there is no doubt. */
  readonly overlaps: readonly string[];
  /** A token that was not above every one before it. */
  readonly tokenErrors: readonly string[];
}

/** Watches the sections of one run, as tabs tell them. */
export function watchSections(server: PageServer, run: string): () => SectionReport {
  const open = new Map<string, string>();
  const overlaps: string[] = [];
  const tokenErrors: string[] = [];
  let grants = 0;
  let lastToken = 0;
  server.onTold((told) => {
    if (told.run !== run) return;
    const { kind, id = '', tab = '', token = '' } = told;
    if (kind === 'exit') open.delete(id);
    if (kind !== 'enter') return;
    grants++;
    if (open.size > 0) overlaps.push(`${tab}#${token} entered while ${[...open.values()].join(', ')} was inside`);
    open.set(id, `${tab}#${token}`);
    if (Number(token) <= lastToken) tokenErrors.push(`${tab}#${token} after ${lastToken}`);
    lastToken = Math.max(lastToken, Number(token));
  });
  return () => ({ grants, overlaps, tokenErrors });
}
