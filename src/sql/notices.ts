/**
 * Notices between processes: `NOTIFY <schema>_<process>` with a line of words, the key last because only it may
 * contain spaces. `granted <first> <last> <accept ms> <grant id> <key>` and `broken <grant id> <key>`.
 */
import type { Notice } from '../core/ports.ts';

export function channelOf(schema: string, process: string): string {
  return `${schema}_${process}`;
}

/** The channel of a grant id's process, as SQL; `schema` is the quoted identifier. */
export function channelSql(schema: string, owner: string): string {
  return `'${schema.slice(1, -1)}_' || split_part(${owner}, '.', 1)`;
}

/** Undefined: not a notice of ours. */
export function parseNotice(payload: string): Notice | undefined {
  const granted = /^granted (\d+) (\d+) (\S+) (\S+) (.+)$/s.exec(payload);
  if (granted) {
    const [, token, lastToken, acceptMs, owner = '', key = ''] = granted;
    return {
      kind: 'granted',
      key,
      owner,
      token: Number(token),
      lastToken: Number(lastToken),
      acceptMs: Number(acceptMs),
    };
  }
  const broken = /^broken (\S+) (.+)$/s.exec(payload);
  return broken ? { kind: 'broken', owner: broken[1] ?? '', key: broken[2] ?? '' } : undefined;
}
