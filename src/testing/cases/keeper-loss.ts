import type { LeaseEvent } from '../../core/events.ts';
import { assertBetween, assertEqual, assertLeaseError, assertThat } from '../case-assertions.ts';
import { type CaseContext, type LeaseStoreCase, onTime, within } from '../case-context.ts';
import { leaseOf, withKeepers } from './keeper-steps.ts';

const theme = 'keeper: loss';
const by = 'operator';
const reason = 'it is stuck';

export const keeperLossCases: readonly LeaseStoreCase[] = [
  {
    name: 'the store hangs: the signal fires before the TTL ends',
    theme,
    run: (context) => onTime(context.clock, 50, () => hangAndLose(context)),
  },
  {
    name: 'the store hangs only for a while: in jeopardy, then held as before',
    theme,
    run: (context) => onTime(context.clock, 50, () => hangAndRecover(context)),
  },
  {
    name: 'an operator breaks the lease: the holder is told who and why',
    theme,
    run: (context) =>
      withKeepers(context, 2, { ttlMs: 2_000 }, async (a, b) => {
        const { clock } = context;
        const key = context.freshKey('break');
        const lease = leaseOf(await a.leases.tryAcquire(key), 'the holder');
        const lost = onAbort(lease.signal);
        const reply = await b.leases.break(key, { reason, by });
        assertThat(reply.broken, 'the lease should be broken');
        await within(clock, 5_000, 'the signal', lost);
        assertEqual(lease.lostReason, { kind: 'broken', by, reason }, 'the reason');
        assertEqual([lease.isHeld(), lease.state], [false, 'lost'], 'the lease');
        assertEqual(await lease.release(), false, 'the release');
        const told = await within(clock, 5_000, 'the event', a.events.next(isLost));
        assertEqual(
          [told.key, told.token, told.reason],
          [key, lease.token, { kind: 'broken', by, reason }],
          'the event',
        );
      }),
  },
  {
    name: 'work that outlives its lease ends with an error that says so',
    theme,
    run: (context) =>
      withKeepers(context, 2, { ttlMs: 2_000 }, async (a, b) => {
        const key = context.freshKey('outlive');
        const work = a.leases.withLease(key, {}, async (_lease, signal) => {
          await b.leases.break(key, { reason, by });
          await within(context.clock, 5_000, 'the signal', onAbort(signal));
          return 'too late';
        });
        const error = await assertLeaseError(work, 'lost', 'the work');
        assertThat(error.message.includes(reason), `the message should say why, got "${error.message}"`);
      }),
  },
];

async function hangAndLose(context: CaseContext): Promise<void> {
  const ttlMs = 1_000;
  await withKeepers(context, 1, { ttlMs }, async (keeper) => {
    const { clock } = context;
    const lease = leaseOf(await keeper.leases.tryAcquire(context.freshKey('hang')), 'the holder');
    const lost = onAbort(lease.signal);
    keeper.store.hang();
    const answered = keeper.store.history.findLast((call) => call.repliedAtMs !== undefined);
    const sentMs = answered?.sentAtMs ?? Number.NaN;
    await within(clock, 5_000, 'the signal', lost);
    assertBetween(
      clock.monotonicMs() - sentMs,
      ttlMs / 2,
      ttlMs,
      'when the signal fired, after the last request sent (ms)',
    );
    assertEqual([lease.isHeld(), lease.state, lease.lostReason?.kind], [false, 'lost', 'deadline'], 'the lease');
  });
}

async function hangAndRecover(context: CaseContext): Promise<void> {
  await withKeepers(context, 1, { ttlMs: 1_500 }, async (keeper) => {
    const { clock } = context;
    const lease = leaseOf(await keeper.leases.tryAcquire(context.freshKey('recover')), 'the holder');
    keeper.store.hang();
    await within(
      clock,
      5_000,
      'the jeopardy',
      keeper.events.next((event) => event.type === 'jeopardy'),
    );
    assertEqual([lease.isHeld(), lease.state], [true, 'jeopardy'], 'in jeopardy');
    keeper.store.resume();
    await within(
      clock,
      5_000,
      'the recovery',
      keeper.events.next((event) => event.type === 'recovered'),
    );
    assertEqual([lease.isHeld(), lease.state, lease.signal.aborted], [true, 'held', false], 'recovered');
    assertEqual(await lease.release(), true, 'the release');
  });
}

function isLost(event: LeaseEvent): event is LeaseEvent & { readonly type: 'lost' } {
  return event.type === 'lost';
}

function onAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
