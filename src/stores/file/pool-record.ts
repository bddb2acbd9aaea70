/**
 * The holders of a shared or counted lease do not fit into a name, so the name `<token>.p.<record>` points to a side
 * file that is written once and never changed. A writer makes the new record first and then swaps the name; the
 * swap decides. It then removes the record it replaced, which no name will ever point to again. A crash leaves an
 * orphan: a record whose base, the name it was made to replace, is no longer the state (see `sweep-file-store.ts`).
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Random, Share } from '../../core/ports.ts';
import { codeOf, corruptFolder, fileError } from './file-error.ts';
import type { Term } from './lease-name.ts';

/** Undefined: the record is gone, so the state has changed since it was read. */
export function readPoolRecord(folder: string, recordId: string): readonly Term[] | undefined {
  let text: string;
  try {
    text = readFileSync(`${folder}/${recordId}`, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileError(error, folder);
  }
  const terms = parseTerms(text);
  if (!terms) throw corruptFolder(folder, `contains the record "${recordId}", which cannot be read`);
  return terms;
}

/** Writes the holders that shall follow the state `base`, and returns the id of the record. */
export function writePoolRecord(folder: string, base: string, terms: readonly Term[], random: Random): string {
  const recordId = `${baseMark(base)}-${random.hex(8)}`;
  const write = (): void => writeFileSync(`${folder}/${recordId}`, JSON.stringify(terms), { flag: 'wx' });
  try {
    try {
      write();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      mkdirSync(folder, { recursive: true });
      write();
    }
  } catch (error) {
    removePoolRecord(folder, recordId);
    throw fileError(error, folder);
  }
  return recordId;
}

export function removePoolRecord(folder: string, recordId: string): void {
  try {
    unlinkSync(`${folder}/${recordId}`);
  } catch {
    // An orphan does no harm; the sweep takes it.
    return;
  }
}

/** Whether a record was made to replace this state. */
export function isRecordBasedOn(recordId: string, base: string): boolean {
  return recordId.startsWith(`${baseMark(base)}-`);
}

function baseMark(base: string): string {
  return createHash('sha256').update(base).digest('hex').slice(0, 16);
}

function parseTerms(text: string): readonly Term[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isTerm) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTerm(value: unknown): value is Term {
  if (typeof value !== 'object' || value === null) return false;
  const { owner, token, endUs, ttlMs, boot, process, share } = value as Record<string, unknown>;
  const texts = [owner, boot, process].every((field) => typeof field === 'string');
  return texts && [token, endUs, ttlMs].every(Number.isSafeInteger) && isShare(share);
}

function isShare(value: unknown): value is Share {
  if (typeof value !== 'object' || value === null) return false;
  const { weight, capacity } = value as Record<string, unknown>;
  return Number.isSafeInteger(weight) && Number.isSafeInteger(capacity);
}
