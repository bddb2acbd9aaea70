/** Every bound of run-once, each with its reason. */
export const runOnceLimits = {
  /** An answer is read by every replay; what is larger belongs into a table or a bucket, with a reference here. */
  answerBytesMax: 1_000_000,
  /** Input that is only fingerprinted, but must be walked and hashed. In characters of its canonical JSON. */
  inputCharsMax: 8_000_000,
  /** Deeper input is a cycle or an attack. */
  inputDepthMax: 100,
  /** A failure is kept for people and for a replay, not as a dump. In characters. */
  errorMessageMax: 4_000,
  /** Shorter retention would forget keys that clients still retry: then a key runs twice. */
  retentionMsMin: 1_000,
  /** A year. Who wants an answer for longer wants a table. */
  retentionMsMax: 366 * 86_400_000,
  /** Rows of one pruning statement: it holds their locks. */
  pruneMax: 10_000,
  /** Lost races in a row after which a caller is told to come back later. */
  claimRounds: 5,
} as const;
