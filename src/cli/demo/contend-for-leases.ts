/** A few who want the same things at the same time, until told to stop. */
import type { Clock, LeaseStore, Platform } from '../../core/ports.ts';
import { createLeases, type Leases } from '../../engine/lease-keeper.ts';
import { pause } from './pause.ts';

export interface Contention {
  stop(): Promise<void>;
}

export const demoLeases = ['demo/printer', 'demo/render-slots'] as const;

const people = ['aoi', 'ben', 'chie'] as const;

/** How long one holds. Long enough to be seen on the page. */
const holdMs = 3_000;

export function contendForLeases(store: LeaseStore, platform: Platform): Contention {
  const stopping = new AbortController();
  const keepers = people.map((name) => createLeases({ store, platform, name: `demo-${name}`, ttlMs: 10_000 }));
  const loops = keepers.flatMap((leases) => [
    takeTurns(leases, demoLeases[0], platform.clock, stopping.signal),
    takeTurns(leases, demoLeases[1], platform.clock, stopping.signal, 2),
  ]);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      await Promise.all(keepers.map((leases) => leases.close()));
    },
  };
}

async function takeTurns(
  leases: Leases,
  key: string,
  clock: Clock,
  signal: AbortSignal,
  capacity?: number,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const outcome = await leases.acquire(key, { signal, ...(capacity !== undefined && { capacity }) });
      if (!outcome.acquired) continue;
      await pause(clock, holdMs, signal);
      await outcome.lease.release();
    } catch {
      // The store may be away for a while; the demo goes on when it is back.
      await pause(clock, 1_000, signal);
    }
  }
}
