import type { Share } from '../core/ports.ts';

/** The `holders` column of a pool as it comes from the driver: grant id → [token, weight, capacity, end in µs]. */
export type PoolColumn = Readonly<Record<string, readonly [number, number, number, number]>>;

export interface PoolHolder {
  readonly owner: string;
  readonly token: number;
  readonly remainingMs: number;
  readonly share: Share;
}

/**
 * The holders in force, oldest first (tokens rise with every grant). The row's `expires_at` is the latest end of its
 * holders and `leftMs` is the time until then, so the two together tell the store's clock.
 */
export function poolHolders(holders: PoolColumn, leftMs: number): readonly PoolHolder[] {
  const entries = Object.entries(holders);
  const nowUs = Math.max(...entries.map(([, [, , , endUs]]) => endUs)) - Math.round(leftMs * 1000);
  return entries
    .filter(([, [, , , endUs]]) => endUs > nowUs)
    .map(([owner, [token, weight, capacity, endUs]]) => ({
      owner,
      token,
      remainingMs: (endUs - nowUs) / 1000,
      share: { weight, capacity },
    }))
    .sort((a, b) => a.token - b.token);
}
