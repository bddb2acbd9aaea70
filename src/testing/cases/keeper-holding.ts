import { assertAbove, assertEqual, assertLeaseError, assertThat } from '../case-assertions.ts';
import { type LeaseStoreCase, onTime, pause } from '../case-context.ts';
import { leaseOf, slowestAnswerMs, withKeepers } from './keeper-steps.ts';

const theme = 'keeper: holding';

export const keeperHoldingCases: readonly LeaseStoreCase[] = [
  {
    name: 'one is granted, the other is told by whom; after the release it is the other way round',
    theme,
    run: (context) =>
      withKeepers(context, 2, {}, async (a, b) => {
        const key = context.freshKey('try');
        const first = leaseOf(await a.leases.tryAcquire(key), 'the first');
        assertThat(first.isHeld() && first.state === 'held' && !first.signal.aborted, 'the first should hold it');
        const refused = await b.leases.tryAcquire(key);
        assertThat(!refused.acquired && refused.reason === 'held', 'the second should be refused');
        assertThat(refused.holder?.includes('keeper-1') === true, `the holder should be named, got ${refused.holder}`);
        assertEqual(await first.release(), true, 'the release');
        assertEqual([first.isHeld(), first.state], [false, 'released'], 'after the release');
        const second = leaseOf(await b.leases.tryAcquire(key), 'the second');
        assertAbove(second.token, first.token, 'the number');
        assertEqual(await second.release(), true, 'the release');
      }),
  },
  {
    name: 'withLease gives the result and releases; the work’s own error wins; a busy key is an error',
    theme,
    run: (context) =>
      withKeepers(context, 2, {}, async (a, b) => {
        const key = context.freshKey('with');
        const result = await a.leases.withLease(key, {}, async (lease, signal) => {
          assertEqual([lease.isHeld(), signal.aborted], [true, false], 'inside');
          await assertLeaseError(
            b.leases.withLease(key, { waitMs: 0 }, () => 'overlap'),
            'busy',
            'the other',
          );
          return 'done';
        });
        assertEqual(result, 'done', 'the result');
        const own = new Error('the work’s own');
        const thrown = await b.leases
          .withLease(key, { waitMs: 0 }, () => Promise.reject(own))
          .catch((error: unknown) => error);
        assertThat(thrown === own, `the work's own error should come out, got ${thrown}`);
        assertEqual(await a.leases.withLease(key, { waitMs: 0 }, () => 'free'), 'free', 'after the error');
      }),
  },
  {
    name: 'a lease bound by `await using` is released at the end of its block',
    theme,
    run: (context) =>
      withKeepers(context, 2, {}, async (a, b) => {
        const key = context.freshKey('using');
        {
          await using lease = leaseOf(await a.leases.tryAcquire(key), 'the first');
          assertThat(lease.isHeld(), 'it should be held inside the block');
          assertEqual((await b.leases.tryAcquire(key)).acquired, false, 'inside the block');
        }
        await using next = leaseOf(await b.leases.tryAcquire(key), 'after the block');
        assertThat(next.isHeld(), 'it should be held by the next');
      }),
  },
  {
    name: 'a held lease is renewed by itself, far beyond its TTL',
    theme,
    run: (context) =>
      onTime(context.clock, 100, (took) =>
        withKeepers(context, 2, { ttlMs: 600 }, async (a, b) => {
          const key = context.freshKey('renew');
          const lease = leaseOf(await a.leases.tryAcquire(key), 'the holder');
          // Only time can show that it outlives its TTL.
          for (let i = 0; i < 6; i++) {
            await pause(context.clock, 200);
            const other = await b.leases.tryAcquire(key);
            took(Math.max(slowestAnswerMs(a), slowestAnswerMs(b)));
            assertEqual(other.acquired, false, 'somebody else');
            assertEqual([lease.isHeld(), lease.signal.aborted], [true, false], 'the holder');
          }
          assertEqual(await lease.release(), true, 'the release');
        }),
      ),
  },
  {
    name: 'closing a keeper gives back what it holds, at once',
    theme,
    run: (context) =>
      withKeepers(context, 2, {}, async (a, b) => {
        const keys = [context.freshKey('close1'), context.freshKey('close2')];
        for (const key of keys) leaseOf(await a.leases.tryAcquire(key), key);
        await a.leases.close();
        for (const key of keys) leaseOf(await b.leases.tryAcquire(key), `${key} after the close`);
        await assertLeaseError(a.leases.tryAcquire(keys[0] ?? ''), 'closed', 'a closed keeper');
      }),
  },
  {
    name: 'several keys: all or none, and free again together',
    theme,
    needs: ['several'],
    run: (context) =>
      withKeepers(context, 2, {}, async (a, b) => {
        const [x, y, z] = [context.freshKey('x'), context.freshKey('y'), context.freshKey('z')];
        const first = await a.leases.acquireAll([y, x]);
        assertThat(first.acquired, 'the first set should be acquired');
        const second = await b.leases.acquireAll([z, y], { waitMs: 0 });
        assertThat(!second.acquired, 'the second set should be refused');
        leaseOf(await b.leases.tryAcquire(z), 'a key of the refused set');
        assertEqual(await first.leases.release(), true, 'the release');
        leaseOf(await b.leases.tryAcquire(y), 'a key of the released set');
      }),
  },
  {
    name: 'readers share and a writer waits for the last of them',
    theme,
    needs: ['shared'],
    run: (context) =>
      withKeepers(context, 3, {}, async (a, b, c) => {
        const key = context.freshKey('read');
        const first = leaseOf(await a.leases.tryAcquire(key, { shared: true }), 'the first reader');
        const second = leaseOf(await b.leases.tryAcquire(key, { shared: true }), 'the second reader');
        const writer = c.leases.acquire(key, { waitMs: 10_000 });
        assertEqual([await first.release(), await second.release()], [true, true], 'the releases');
        const lease = leaseOf(await writer, 'the writer');
        assertEqual((await a.leases.tryAcquire(key, { shared: true })).acquired, false, 'a reader beside the writer');
        await lease.release();
      }),
  },
  {
    name: 'a later holder’s claim shuts out an earlier one',
    theme,
    needs: ['fences'],
    run: (context) =>
      withKeepers(context, 2, {}, async (a, b) => {
        const [key, resource] = [context.freshKey('key'), context.freshKey('resource')];
        const first = leaseOf(await a.leases.tryAcquire(key), 'the first');
        assertEqual(await first.claim(resource), { claimed: true, token: first.token }, 'the first claim');
        await b.leases.break(key, { reason: 'case', by: 'case' });
        const second = leaseOf(await b.leases.acquire(key, { waitMs: 10_000 }), 'the second');
        assertEqual(await second.claim(resource), { claimed: true, token: second.token }, 'the second claim');
        // Straight to the store: the first holder may not have noticed yet, and that must not matter.
        const late = await a.store.claim({ resource, token: first.token });
        assertEqual(late, { claimed: false, token: second.token }, 'the first, too late');
      }),
  },
];
