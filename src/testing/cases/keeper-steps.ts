/** Steps that cases over the lease keeper share. */
import { platform } from '#platform';
import type { LeaseEvent } from '../../core/events.ts';
import type { Lease } from '../../engine/lease.ts';
import { type AcquireOutcome, createLeases, type Leases, type LeasesOptions } from '../../engine/lease-keeper.ts';
import type { CaseContext } from '../case-context.ts';
import { eventually } from '../case-context.ts';
import { type EventProbe, eventProbe } from '../event-probe.ts';
import { type FaultyStore, faultyStore } from '../faulty-store.ts';

/** A keeper as a process of its own would have it, over a link that can hang. */
export interface KeeperUnderTest {
  readonly leases: Leases;
  readonly store: FaultyStore;
  readonly events: EventProbe<LeaseEvent>;
}

/** Makes keepers, lets them work, and closes them whatever happens. */
export async function withKeepers(
  { openStore, clock }: CaseContext,
  count: number,
  options: Omit<LeasesOptions, 'store' | 'onEvent'>,
  work: (...keepers: KeeperUnderTest[]) => Promise<void>,
): Promise<void> {
  const keepers: KeeperUnderTest[] = [];
  try {
    for (let i = 0; i < count; i++) {
      const store = faultyStore({ store: await openStore(), clock });
      const events = eventProbe<LeaseEvent>();
      const leases = createLeases({
        store,
        name: `keeper-${i + 1}`,
        platform: { ...platform, clock },
        ...options,
        onEvent: events.record,
      });
      keepers.push({ leases, store, events });
    }
    await work(...keepers);
  } finally {
    for (const { store } of keepers) store.resume();
    await Promise.all(keepers.map(({ leases }) => leases.close()));
  }
}

export function leaseOf(outcome: AcquireOutcome, what: string): Lease {
  if (!outcome.acquired) throw new Error(`${what} should be acquired, but was refused: ${JSON.stringify(outcome)}`);
  return outcome.lease;
}

/** How long the slowest answer of the store took. */
export function slowestAnswerMs({ store }: KeeperUnderTest): number {
  return Math.max(0, ...store.history.map(({ sentAtMs, repliedAtMs = sentAtMs }) => repliedAtMs - sentAtMs));
}

/** Resolves once this keeper has asked the store for `key` and was told to wait. */
export function refusedByStore({ clock }: CaseContext, { store }: KeeperUnderTest, key: string): Promise<true> {
  const isRefusal = (call: FaultyStore['history'][number]): boolean =>
    call.op === 'acquire' && call.request.key === key && call.reply?.granted === false;
  return eventually(clock, 5_000, `a refusal for "${key}"`, async () => store.history.some(isRefusal) || undefined);
}
