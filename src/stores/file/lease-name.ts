/**
 * The name of the one file in a lease's folder is the state of the lease:
 *
 *   <token>.f.<note>                                        free; the note makes the name the writer's own
 *   <token>.h.<end>.<ttl>.<boot>.<process>.<owner>          held by one
 *   <token>.p.<record>                                      shared or counted; the holders are in a side record
 *
 * token: the last number given out. end: µs of the machine's boot clock. ttl: ms, so that end − ttl is when it was
 * written. No name ever comes twice: a grant has a number of its own, a renewal a later end, a record a random id.
 */
import { LeaseError } from '../../core/errors.ts';
import type { Share } from '../../core/ports.ts';
import { escapeText, unescapeText } from './escape-text.ts';

/** One holder's entry. */
export interface Term {
  readonly owner: string;
  readonly token: number;
  /** By the boot clock, in µs. */
  readonly endUs: number;
  readonly ttlMs: number;
  readonly boot: string;
  /** See `holder-process.ts`. */
  readonly process: string;
  readonly share?: Share;
}

export type LeaseName =
  | { readonly kind: 'free'; readonly name: string; readonly token: number }
  | { readonly kind: 'held'; readonly name: string; readonly token: number; readonly term: Term }
  | { readonly kind: 'pool'; readonly name: string; readonly token: number; readonly recordId: string };

/** Names end at 255 bytes; the other fields take up to 90. */
export const ownerBytesMax = 160;

export function freeName(token: number, note: string): string {
  return `${token}.f.${note}`;
}

export function heldName({ token, endUs, ttlMs, boot, process, owner }: Term): string {
  return `${token}.h.${endUs}.${ttlMs}.${boot}.${process}.${escapeOwner(owner)}`;
}

export function poolName(token: number, recordId: string): string {
  return `${token}.p.${recordId}`;
}

/** Undefined: not a state of ours. */
export function parseLeaseName(name: string): LeaseName | undefined {
  const [, tokenText = '', kind, rest = ''] = /^(\d{1,16})\.([fhp])\.(.+)$/.exec(name) ?? [];
  const token = Number(tokenText);
  if (tokenText === '' || !Number.isSafeInteger(token)) return undefined;
  if (kind === 'f') return { kind: 'free', name, token };
  if (kind === 'p') return /^[0-9a-f-]+$/.test(rest) ? { kind: 'pool', name, token, recordId: rest } : undefined;
  const term = parseTerm(token, rest);
  return term && { kind: 'held', name, token, term };
}

/** Windows drops a dot at the end, and forbids the colon of `host:pid`. */
export function escapeOwner(owner: string): string {
  const escaped = escapeText(owner, /[^A-Za-z0-9_.@-]|\.$/gu);
  if (escaped === '' || escaped.length > ownerBytesMax || unescapeText(escaped) !== owner) {
    throw new LeaseError(
      `The owner ${JSON.stringify(owner.slice(0, 40))} cannot be part of a file name; it must have 1 to ${ownerBytesMax} bytes when escaped, got ${escaped.length}.`,
      { code: 'invalid-argument' },
    );
  }
  return escaped;
}

function parseTerm(token: number, text: string): Term | undefined {
  const match = /^(-?\d{1,16})\.(\d{1,9})\.([0-9a-z]+)\.([0-9-]+)\.(.+)$/.exec(text);
  if (!match) return undefined;
  const [, end, ttl, boot = '', process = '', escaped = ''] = match;
  const owner = unescapeText(escaped);
  return owner === undefined ? undefined : { owner, token, endUs: Number(end), ttlMs: Number(ttl), boot, process };
}
