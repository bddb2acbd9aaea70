/**
 * Notices between processes: PUBLISH on the one process's channel with a line of words, the record's name last because
 * only it may contain spaces. `granted <first> <last> <accept ms> <grant id> <name>` and `broken <grant id> <name>`.
 */
import type { Notice } from '../../core/ports.ts';
import type { KeyNames } from './key-names.ts';

/** Undefined: not a notice of ours. */
export function parseNotice(payload: string, names: KeyNames): Notice | undefined {
  const granted = /^granted (\d+) (\d+) (\S+) (\S+) (.+)$/s.exec(payload);
  if (granted) {
    const [, token, lastToken, acceptMs, owner = '', name = ''] = granted;
    return {
      kind: 'granted',
      key: names.keyOf(name),
      owner,
      token: Number(token),
      lastToken: Number(lastToken),
      acceptMs: Number(acceptMs),
    };
  }
  const broken = /^broken (\S+) (.+)$/s.exec(payload);
  return broken ? { kind: 'broken', owner: broken[1] ?? '', key: names.keyOf(broken[2] ?? '') } : undefined;
}
