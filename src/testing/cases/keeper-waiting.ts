import type { Lease } from '../../engine/lease.ts';
import { assertAbove, assertBetween, assertEqual, assertThat } from '../case-assertions.ts';
import { type CaseContext, eventually, type LeaseStoreCase, onTime, pause, within } from '../case-context.ts';
import { type KeeperUnderTest, leaseOf, refusedByStore, slowestAnswerMs, withKeepers } from './keeper-steps.ts';

const theme = 'keeper: waiting';

export const keeperWaitingCases: readonly LeaseStoreCase[] = [
  {
    name: 'a release wakes the waiter of another process, long before it would ask again',
    theme,
    run: (context) =>
      onTime(context.clock, 100, (took) =>
        withKeepers(context, 2, { pollMs: 1_000 }, async (a, b) => {
          const { clock } = context;
          const key = context.freshKey('wake');
          const held = leaseOf(await a.leases.tryAcquire(key), 'the holder');
          const waiting = b.leases.acquire(key, { waitMs: 20_000 });
          await refusedByStore(context, b, key);
          const releasedMs = clock.monotonicMs();
          await held.release();
          const lease = leaseOf(await waiting, 'the waiter');
          took(Math.max(slowestAnswerMs(a), slowestAnswerMs(b)));
          assertBetween(clock.monotonicMs() - releasedMs, 0, 400, 'how long waking took (ms)');
          assertAbove(lease.token, held.token, 'the number');
          assertEqual(await lease.release(), true, 'the release');
        }),
      ),
  },
  {
    name: 'eight waiters of two processes are all served, each process in the order of asking, never two at once',
    theme,
    run: (context) => withKeepers(context, 3, {}, (holder, a, b) => serveEight(context, holder, a, b)),
  },
  {
    name: 'a wait has its limit, and leaves nothing behind',
    theme,
    run: (context) =>
      withKeepers(context, 3, {}, async (a, b, c) => {
        const { clock } = context;
        const key = context.freshKey('limit');
        const held = leaseOf(await a.leases.tryAcquire(key), 'the holder');
        const startedMs = clock.monotonicMs();
        const outcome = await b.leases.acquire(key, { waitMs: 150 });
        assertThat(!outcome.acquired && outcome.reason === 'timeout', 'the wait should time out');
        assertBetween(clock.monotonicMs() - startedMs, 149, 5_000, 'how long it waited (ms)');
        await nobodyWaits(context, c, key);
        await held.release();
        leaseOf(await c.leases.tryAcquire(key), 'the next, at once');
      }),
  },
  {
    name: 'a wait can be aborted, and leaves nothing behind',
    theme,
    run: (context) =>
      withKeepers(context, 3, {}, async (a, b, c) => {
        const key = context.freshKey('abort');
        const held = leaseOf(await a.leases.tryAcquire(key), 'the holder');
        const controller = new AbortController();
        const waiting = b.leases.acquire(key, { signal: controller.signal });
        await refusedByStore(context, b, key);
        controller.abort();
        const outcome = await within(context.clock, 5_000, 'the end of the wait', waiting);
        assertThat(!outcome.acquired && outcome.reason === 'aborted', 'the wait should be aborted');
        await nobodyWaits(context, c, key);
        await held.release();
        leaseOf(await c.leases.tryAcquire(key), 'the next, at once');
        const late = await b.leases.acquire(key, { signal: controller.signal });
        assertThat(!late.acquired && late.reason === 'aborted', 'a signal aborted before should end it at once');
      }),
  },
  {
    name: 'a waiter gets the lease of a holder that died',
    theme,
    run: (context) =>
      withKeepers(context, 2, { ttlMs: 600 }, async (a, b) => {
        const key = context.freshKey('died');
        const dead = leaseOf(await a.leases.tryAcquire(key), 'the holder');
        // To the store and to everybody else a process that cannot reach the store is dead.
        a.store.hang();
        const lease = leaseOf(await b.leases.acquire(key, { waitMs: 20_000 }), 'the waiter');
        assertAbove(lease.token, dead.token, 'the number');
        assertEqual(dead.isHeld(), false, 'the dead one believes');
      }),
  },
];

async function serveEight(
  context: CaseContext,
  holder: KeeperUnderTest,
  ...processes: readonly KeeperUnderTest[]
): Promise<void> {
  const { clock, freshKey } = context;
  const key = freshKey('eight');
  const held = leaseOf(await holder.leases.tryAcquire(key), 'the holder');
  const served: { process: number; waiter: number; token: number }[] = [];
  let inside = 0;
  const serve = async (process: number, waiter: number, lease: Lease): Promise<void> => {
    inside += 1;
    assertEqual(inside, 1, 'how many are inside');
    served.push({ process, waiter, token: lease.token });
    // The work itself.
    await pause(clock, 5);
    inside -= 1;
    assertEqual(lease.isHeld(), true, 'held until the end of the work');
  };
  const asked = processes.flatMap(({ leases }, process) =>
    [0, 1, 2, 3].map((waiter) => leases.withLease(key, { waitMs: 20_000 }, (lease) => serve(process, waiter, lease))),
  );
  await Promise.all(processes.map((keeper) => refusedByStore(context, keeper, key)));
  const startedMs = clock.monotonicMs();
  await held.release();
  await Promise.all(asked);
  // Forty milliseconds of work. A process left out would wait for a lease to end: fifteen seconds.
  assertBetween(clock.monotonicMs() - startedMs, 40, 8_000, 'how long all took (ms)');
  for (const process of [0, 1]) {
    assertEqual(
      served.filter((one) => one.process === process).map(({ waiter }) => waiter),
      [0, 1, 2, 3],
      'the order',
    );
  }
  for (const [i, { token }] of served.entries()) assertAbove(token, served[i - 1]?.token ?? held.token, `number ${i}`);
}

/** Leaving the line may come a moment after the answer. */
async function nobodyWaits({ clock }: CaseContext, { leases }: KeeperUnderTest, key: string): Promise<void> {
  await eventually(clock, 5_000, 'an empty line', async () => {
    const [info] = await leases.list({ prefix: key });
    return info?.waiting === 0 || undefined;
  });
}
