/** The store hangs: connections stay open, nothing answers. The signal must fire before the TTL ends all the same. */
import { describe, expect, it } from 'vitest';
import { LeaseError } from '../../src/core/errors.ts';
import { createLeases } from '../../src/engine/lease-keeper.ts';
import { postgresStore } from '../../src/stores/postgres/index.ts';
import { startPostgres } from '../servers/postgres-server.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';

const ttlMs = 3_000;
const rounds = faultRounds('HUNG_STORE', 1);

describe('a store that hangs for 4 × TTL', () => {
  it(`${rounds} × PostgreSQL frozen: the signal fires before the TTL ends`, { timeout: 600_000 }, async () => {
    const server = await startPostgres({ major: 18 });
    const store = postgresStore({ connectionString: server.url });
    let lagged = 0;
    const abortedAfterMs: number[] = [];
    try {
      while (abortedAfterMs.length < rounds) {
        expect(lagged, 'this machine is too busy to measure').toBeLessThan(20);
        const result = await hangOnce();
        // Our own loop was late by more than the margin: that run says nothing about the keeper.
        if (result.lagMs > ttlMs * 0.2) lagged += 1;
        else abortedAfterMs.push(result.abortedAfterMs);
      }
    } finally {
      await server.resume();
      await store.close();
      await server.stop();
    }
    reportFault({
      experiment: 'hung-store',
      store: 'postgres',
      ttlMs,
      abortedAfterMs: abortedAfterMs.map(Math.round),
      lagged,
    });
    for (const ms of abortedAfterMs) expect(ms).toBeLessThan(ttlMs);

    async function hangOnce(): Promise<{ abortedAfterMs: number; lagMs: number }> {
      let lastSentMs = 0;
      const leases = createLeases({
        store,
        ttlMs,
        onEvent(event) {
          if (event.type === 'renewed' && event.count > 0) lastSentMs = performance.now() - event.tookMs;
        },
      });
      const renewed = new Promise<void>((resolve) => {
        const stop = leases.onEvent((event) => {
          if (event.type !== 'renewed') return;
          stop();
          resolve();
        });
      });
      const outcome = await leases.acquire('hung');
      if (!outcome.acquired) throw new Error('not granted');
      const { lease } = outcome;
      await renewed;
      const lag = watchLag();
      const aborted = new Promise<number>((resolve) =>
        lease.signal.addEventListener('abort', () => resolve(performance.now())),
      );
      await server.pause();
      const pausedMs = performance.now();
      const abortedMs = await aborted;
      expect(lease.isHeld()).toBe(false);
      expect(lease.state).toBe('lost');
      expect(lease.signal.reason).toBeInstanceOf(LeaseError);
      const lagMs = lag.stop();
      // Real time: the store stays frozen for 4 × TTL in all, and nothing may hang or throw meanwhile.
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, ttlMs * 4 - (performance.now() - pausedMs))));
      await server.resume();
      const again = await leases.acquire('hung', { waitMs: 20_000 });
      expect(again.acquired && again.lease.token > lease.token).toBe(true);
      await leases.close();
      return { abortedAfterMs: abortedMs - lastSentMs, lagMs };
    }
  });
});

function watchLag(): { stop(): number } {
  let worstMs = 0;
  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    worstMs = Math.max(worstMs, nowMs - lastMs - 20);
    lastMs = nowMs;
  }, 20);
  return {
    stop() {
      clearInterval(timer);
      return worstMs;
    },
  };
}
