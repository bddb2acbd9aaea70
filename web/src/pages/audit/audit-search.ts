/** What of the audit page is in its address. */
export interface AuditSearch {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
}

const names = ['actor', 'action', 'target'] as const;

export function auditSearch(search: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = search[name];
      const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, 100) : '';
      return text === '' ? [] : [[name, text]];
    }),
  );
}

/** `actor:mori` */
export function parseAuditFilter(text: string): AuditSearch | undefined {
  const pair = /^(actor|action|target):(.+)$/s.exec(text.trim());
  return pair ? auditSearch({ [pair[1] ?? '']: pair[2] }) : undefined;
}
