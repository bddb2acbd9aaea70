import type { Notice } from '../../core/ports.ts';
import { assertAbove, assertEqual, assertGranted, assertThat } from '../case-assertions.ts';
import { acceptMs, type LeaseStoreCase, longMs, newContender, pause, within } from '../case-context.ts';
import { eventProbe } from '../event-probe.ts';
import { heirOf, hold, holdKey, joinLine } from './line-steps.ts';

const theme = 'break';
const by = 'operator "Ōe" <ops@example.org>';
const reason = `it's stuck; see ticket 4711 \\ 100%`;

export const breakCases: readonly LeaseStoreCase[] = [
  {
    name: 'a broken lease is over: the number rises and the loss is explained in the operator’s words',
    theme,
    async run(context) {
      const held = await holdKey(context, 'break');
      const { store, key, owner, token } = held;
      const operator = await context.openStore();
      const reply = await operator.breakLease({ key, reason, by, acceptMs });
      assertThat(reply.broken, 'the lease should be broken');
      assertEqual(reply.holders, [owner], 'whose lease it was');
      assertAbove(reply.token, token, 'the number');
      assertEqual(await store.renew([{ key, owner, token, ttlMs: longMs }]), [false], 'the holder renews');
      assertEqual(await store.explainLoss({ key, owner, token }), { kind: 'broken', by, reason }, 'the explanation');
      assertEqual(await store.release({ key, owner, token, acceptMs }), false, 'the holder releases');
      assertEqual(
        await store.release({ key, owner, token: null, acceptMs }),
        false,
        'the holder releases without a number',
      );
      const next = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
      assertAbove(assertGranted(next, 'the next').token, reply.token, 'the next number');
      assertEqual(
        await store.explainLoss({ key, owner, token }),
        { kind: 'broken', by, reason },
        'the explanation later',
      );
    },
  },
  {
    name: 'what nobody holds cannot be broken',
    theme,
    async run(context) {
      const { clock, ttlMs } = context;
      const { store, key, owner, token } = await holdKey(context, 'nobody', ttlMs);
      // Nothing tells when a lease has ended, so only time can.
      await pause(clock, ttlMs + 10);
      assertEqual(await store.breakLease({ key, reason, by, acceptMs }), { broken: false }, 'an ended lease');
      assertEqual(await store.explainLoss({ key, owner, token }), { kind: 'expired' }, 'the explanation');
      const next = await holdKey(context, 'freed');
      await store.release({ key: next.key, owner: next.owner, token: next.token, acceptMs });
      assertEqual(
        await store.breakLease({ key: next.key, reason, by, acceptMs }),
        { broken: false },
        'a released lease',
      );
    },
  },
  {
    name: 'the holder’s process is told, and nobody else’s',
    theme,
    needs: ['line'],
    async run({ openStore, freshKey, clock }) {
      const store = await openStore();
      const [holder, stranger] = [newContender(), newContender()];
      const [heard, overheard] = [eventProbe<Notice>(), eventProbe<Notice>()];
      await store.subscribe(holder.process, heard.record);
      await store.subscribe(stranger.process, overheard.record);
      for (const round of [1, 2]) {
        const key = freshKey(`told${round}`);
        const owner = holder.newOwner();
        assertGranted(await store.acquire({ key, owner, ttlMs: longMs, line: false }), 'the holder');
        const operator = await openStore();
        await operator.breakLease({ key, reason, by, acceptMs });
        const notice = await within(clock, 5_000, 'the notice of the break', heard.next());
        assertEqual([notice.kind, notice.key, notice.owner], ['broken', key, owner], 'the notice');
      }
      // The second notice was sent after everything of the first round.
      assertEqual(overheard.all(), [], 'what a stranger heard');
    },
  },
  {
    name: 'the first in line inherits a broken lease',
    theme,
    needs: ['line'],
    async run(context) {
      const held = await holdKey(context, 'inherit');
      const heir = await joinLine(context, held.key);
      const reply = await held.store.breakLease({ key: held.key, reason, by, acceptMs });
      assertThat(reply.broken, 'the lease should be broken');
      const { token, lastToken } = await heirOf(context, heir);
      assertAbove(token, held.token, 'the number of the heir');
      assertAbove(lastToken + 1, reply.token, 'the last number of the heir, against the break’s');
      const renewal = { key: held.key, owner: heir.owner, token: lastToken, ttlMs: longMs };
      assertEqual(await heir.store.renew([renewal]), [true], 'the heir renews');
    },
  },
  {
    name: 'breaking a counted lease ends every holder’s part',
    theme,
    needs: ['counted'],
    async run(context) {
      const key = context.freshKey('all');
      const share = { weight: 1, capacity: 3 };
      const [first, second] = [await hold(context, key, share), await hold(context, key, share)];
      const reply = await first.store.breakLease({ key, reason, by, acceptMs });
      assertThat(reply.broken, 'the lease should be broken');
      assertEqual([...reply.holders].sort(), [first.owner, second.owner].sort(), 'whose leases they were');
      for (const { store, owner, token } of [first, second]) {
        assertEqual(await store.renew([{ key, owner, token, ttlMs: longMs, share }]), [false], `${owner} renews`);
        assertEqual(
          await store.explainLoss({ key, owner, token }),
          { kind: 'broken', by, reason },
          `${owner} asks why`,
        );
      }
    },
  },
];
