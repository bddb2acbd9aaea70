/**
 * The record in `project/.lock`: 1,024 bytes, two slots of 512, written in turn (slot = n mod 2). The reader takes the
 * valid slot with the higher `n`, so that a torn write leaves the one before, and since the file never grows, a full
 * disk cannot stop a renewal. A slot is `{"sum":…,"rec":{…}}` padded with spaces.
 */
import type { ProjectLockStrategy } from './project-lock-lease.ts';

export interface LockRecord {
  /** Counts the writes. 0: there never was one; −1: there are bytes, but no valid slot among them. */
  readonly n: number;
  /** The last number given out. It never goes back: releasing keeps it. */
  readonly token: number;
  /** First number of the block that belongs to this grant; `token` is the last. */
  readonly first: number;
  /** Null: nobody holds it (the tombstone of a release). */
  readonly leaseId: string | null;
  readonly ownerId: string;
  readonly strategy: ProjectLockStrategy;
  /** The holder keeps a Web Lock named after its lease: whoever can get that one knows that the holder is gone. */
  readonly presence?: boolean;
  readonly ttlMs: number;
  /** Milliseconds since 1970. */
  readonly acquiredAt: number;
  readonly expiresAt: number;
  /** When the right was last taken away from a silent holder. */
  readonly stolenAt?: number | undefined;
}

export const slotBytes = 512;

/** Where nobody has held it there is nothing to say about a holder. */
export const emptyRecord = { n: 0, token: 0, first: 0, leaseId: null, ttlMs: 0, expiresAt: 0 } as unknown as LockRecord;

/** The bytes of one slot. */
export function encodeSlot(record: LockRecord): Uint8Array<ArrayBuffer> {
  const body = JSON.stringify(record);
  const slot = new Uint8Array(slotBytes).fill(32);
  slot.set(new TextEncoder().encode(`{"sum":${checksum(body)},"rec":${body}}`));
  return slot;
}

/** The newest valid slot. More bytes than two slots have are not looked at. */
export function decodeRecord(bytes: Uint8Array): LockRecord {
  let record = bytes.length ? { ...emptyRecord, n: -1 } : emptyRecord;
  for (const at of [0, slotBytes]) {
    const slot = decodeSlot(bytes.subarray(at, at + slotBytes));
    if (slot && slot.n > record.n) record = slot;
  }
  return record;
}

function decodeSlot(bytes: Uint8Array): LockRecord | undefined {
  try {
    const { sum, rec } = JSON.parse(new TextDecoder().decode(bytes)) as { sum: number; rec: LockRecord };
    return sum === checksum(JSON.stringify(rec)) && isSound(rec) ? rec : undefined;
  } catch {
    return undefined;
  }
}

/** A right sum does not make sense of senseless numbers: beyond these bounds tokens or time could not go on. */
function isSound({ n, token, first, ttlMs, expiresAt }: LockRecord): boolean {
  return (
    [n, token, first, ttlMs, expiresAt].every((value) => Number.isInteger(value) && value >= 0 && value < 2 ** 52) &&
    first <= token &&
    ttlMs <= 86_400_000
  );
}

/** FNV-1a. It finds torn writes; it keeps nobody out. */
function checksum(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return sum >>> 0;
}
