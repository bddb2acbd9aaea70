/**
 * How much one source may do: a bucket that fills steadily and is emptied by events. The table of buckets
 * is bounded; a source that has been quiet longest is forgotten first, which only ever favours it.
 */
export interface SourceLimitOptions {
  /** Events per second a source may send in the long run. @default 50 */
  readonly perSecond?: number;
  /** Events it may send at once. @default 500 */
  readonly burst?: number;
  /** Sources remembered. @default 10000 */
  readonly maxSources?: number;
}

export interface SourceLimit {
  /** Takes room for `events`, or says how long to wait; nothing is taken then. */
  take(
    source: string,
    events: number,
    nowMs: number,
  ): { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };
}

interface Bucket {
  readonly level: number;
  readonly atMs: number;
}

export function createSourceLimit(options: SourceLimitOptions = {}): SourceLimit {
  const { perSecond = 50, burst = 500, maxSources = 10_000 } = options;
  const buckets = new Map<string, Bucket>();
  return {
    take(source, events, nowMs) {
      const known = buckets.get(source);
      const gained = known ? (Math.max(nowMs - known.atMs, 0) / 1000) * perSecond : 0;
      const level = known ? Math.min(known.level + gained, burst) : burst;
      if (level < events) return { ok: false, retryAfterMs: Math.ceil(((events - level) / perSecond) * 1000) };
      // Taken out and put in again, so that the order of the map is the order of last use.
      buckets.delete(source);
      buckets.set(source, { level: level - events, atMs: nowMs });
      if (buckets.size > maxSources) {
        const [oldest] = buckets.keys();
        if (oldest !== undefined) buckets.delete(oldest);
      }
      return { ok: true };
    },
  };
}
