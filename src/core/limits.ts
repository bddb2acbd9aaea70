/**
 * Every bound of the lease protocol, each with its reason. Bounds are checked once, where a value enters.
 */
export const limits = {
  /** Keys are index entries and file names' source; more is a payload in the wrong place. In UTF-8 bytes. */
  keyBytesMax: 512,
  /** Below this a single garbage collection ends the lease. */
  ttlMsMin: 50,
  /** A lease that outlives a day is a row in your own table; a dead holder would block everybody that long. */
  ttlMsMax: 86_400_000,
  /** Waiting longer than this is a schedule, not a wait. */
  waitMsMax: 86_400_000,
  /** Processes in line for one key. The line is part of the record, so it must stay small; the rest poll. */
  lineMax: 256,
  /** Fencing numbers reserved by one grant: hand-overs inside a process take the next without a trip. */
  tokenBlock: 64,
  /** A handed-over grant is short, so that a dead heir costs little; the heir renews to its full TTL. */
  acceptMsMax: 2_000,
  /** How long a waiter trusts that its notice was not lost. */
  pollMsMax: 1_000,
  /** Keys of one all-or-nothing request: they are locked together. */
  keysPerRequestMax: 64,
  /** Weight and capacity of counted leases; a writer among readers weighs the whole capacity. */
  capacityMax: 1_000_000_000,
  /** The name shown to people for a process. It is part of every record, and of file names. */
  processNameMax: 64,
  /** Rows of one listing. */
  listMax: 1_000,
} as const;

/** The capacity that makes a shared (read) lease: each reader weighs 1 of it. */
export const sharedCapacity: number = limits.capacityMax;
