import { sharedCapacity } from '../../core/limits.ts';
import type { AcquireReply, LeaseStore, Share } from '../../core/ports.ts';
import { assertAbove, assertEqual, assertGranted, assertRefused } from '../case-assertions.ts';
import { acceptMs, type LeaseStoreCase, longMs, newContender, pause } from '../case-context.ts';
import { heirOf, hold, joinLine, releaseHeld } from './line-steps.ts';

const theme = 'shares';
const reader: Share = { weight: 1, capacity: sharedCapacity };

export const shareCases: readonly LeaseStoreCase[] = [
  {
    name: 'as many as the capacity allows, and the next when one has gone',
    theme,
    needs: ['counted'],
    async run(context) {
      const key = context.freshKey('count');
      const share = { weight: 1, capacity: 3 };
      const held = [
        await hold(context, key, share),
        await hold(context, key, share),
        await hold(context, key, share),
      ] as const;
      const store = await context.openStore();
      const refused = assertRefused(await attempt(store, key, share), 'the fourth');
      assertEqual(
        held.some(({ owner }) => owner === refused.holder),
        true,
        'the refusal names a holder',
      );
      await releaseHeld(held[1], acceptMs);
      assertGranted(await attempt(store, key, share), 'the fourth after a release');
      assertRefused(await attempt(store, key, share), 'the fifth');
    },
  },
  {
    name: 'weights add up to the capacity and no further',
    theme,
    needs: ['counted'],
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('weight');
      assertGranted(await attempt(store, key, { weight: 3, capacity: 5 }), '3 of 5');
      assertRefused(await attempt(store, key, { weight: 3, capacity: 5 }), '3 more');
      assertGranted(await attempt(store, key, { weight: 2, capacity: 5 }), '2 more');
      assertRefused(await attempt(store, key, { weight: 1, capacity: 5 }), '1 more');
    },
  },
  {
    name: 'another capacity, or none, waits until all have gone',
    theme,
    needs: ['counted'],
    async run(context) {
      const key = context.freshKey('capacity');
      const held = await hold(context, key, { weight: 1, capacity: 5 });
      const store = await context.openStore();
      assertRefused(await attempt(store, key, { weight: 1, capacity: 6 }), 'another capacity');
      assertRefused(await attempt(store, key), 'an exclusive one');
      await releaseHeld(held, acceptMs);
      assertGranted(await attempt(store, key, { weight: 1, capacity: 6 }), 'another capacity, alone');
    },
  },
  {
    name: 'fifty at once for five places: five',
    theme,
    needs: ['counted'],
    async run({ openStore, freshKey }) {
      const stores = await Promise.all(Array.from({ length: 4 }, openStore));
      const key = freshKey('fifty');
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          attempt(stores[i % stores.length] as LeaseStore, key, { weight: 1, capacity: 5 }),
        ),
      );
      const granted = replies.filter((reply) => reply.granted);
      assertEqual(granted.length, 5, 'how many were granted');
      assertEqual(new Set(granted.map(({ token }) => token)).size, 5, 'how many different numbers');
    },
  },
  {
    name: 'renew and release ask for the owner and number of the share; asking again is the same grant',
    theme,
    needs: ['counted'],
    async run(context) {
      const key = context.freshKey('named');
      const share = { weight: 1, capacity: 2 };
      const [first, second] = [await hold(context, key, share), await hold(context, key, share)];
      assertAbove(second.token, first.token, 'the number of the second');
      const { store, owner, token } = first;
      const ttlMs = longMs;
      assertEqual(await store.renew([{ key, owner, token, ttlMs, share }]), [true], 'the holder renews');
      assertEqual(
        await store.renew([{ key, owner, token: second.token, ttlMs, share }]),
        [false],
        'with the other’s number',
      );
      const again = assertGranted(await store.acquire({ key, owner, ttlMs, line: false, share }), 'asking again');
      assertEqual(again.lastToken, token, 'the number of the same grant');
      assertEqual(
        await store.release({ key, owner, token: second.token, acceptMs, share }),
        false,
        'release by the other’s number',
      );
      await releaseHeld(first, acceptMs);
      assertEqual(await store.renew([{ key, owner, token, ttlMs, share }]), [false], 'renewed after the release');
      assertGranted(await attempt(store, key, share), 'its place is free once');
      assertRefused(await attempt(store, key, share), 'and not twice');
    },
  },
  {
    name: 'a share that ends frees its place and no other',
    theme,
    needs: ['counted'],
    async run(context) {
      const { clock, ttlMs } = context;
      const key = context.freshKey('end');
      const share = { weight: 1, capacity: 2 };
      const ending = await hold(context, key, share, ttlMs);
      const staying = await hold(context, key, share);
      // Nothing tells when a lease has ended, so only time can.
      await pause(clock, ttlMs + 10);
      const { store } = staying;
      assertGranted(await attempt(store, key, share), 'the freed place');
      assertRefused(await attempt(store, key, share), 'the other place');
      const late = { key, owner: ending.owner, token: ending.token, ttlMs: longMs, share };
      assertEqual(await store.renew([late]), [false], 'the ended one renews');
    },
  },
  {
    name: 'readers share, and exclude a writer; a writer excludes all',
    theme,
    needs: ['shared'],
    async run(context) {
      const key = context.freshKey('read');
      const readers = [
        await hold(context, key, reader),
        await hold(context, key, reader),
        await hold(context, key, reader),
      ];
      const store = await context.openStore();
      assertRefused(await attempt(store, key), 'a writer among readers');
      for (const held of readers) await releaseHeld(held, acceptMs);
      const writer = await hold(context, key);
      assertAbove(writer.token, Math.max(...readers.map(({ token }) => token)), 'the number of the writer');
      assertRefused(await attempt(store, key, reader), 'a reader beside the writer');
      await releaseHeld(writer, acceptMs);
      assertGranted(await attempt(store, key, reader), 'a reader after the writer');
    },
  },
  {
    name: 'a reader does not overtake a writer in line; the last reader hands over to it',
    theme,
    needs: ['shared', 'line'],
    async run(context) {
      const key = context.freshKey('overtake');
      const [first, second] = [await hold(context, key, reader), await hold(context, key, reader)];
      const writer = await joinLine(context, key);
      const late = await joinLine(context, key, reader);
      assertEqual([writer.refused.inLine, late.refused.inLine], [true, true], 'both stand in line');
      await releaseHeld(first, acceptMs);
      assertRefused(await attempt(late.store, key, reader), 'another reader');
      await releaseHeld(second, acceptMs);
      const { lastToken } = await heirOf(context, writer);
      assertEqual(late.probe.all(), [], 'what the late reader heard');
      await releaseHeld({ ...writer, token: lastToken }, acceptMs);
      await heirOf(context, late);
    },
  },
  {
    name: 'all readers at the head of the line are served together, up to the next writer',
    theme,
    needs: ['shared', 'line'],
    async run(context) {
      const key = context.freshKey('together');
      const writer = await hold(context, key);
      const readers = [await joinLine(context, key, reader), await joinLine(context, key, reader)];
      const next = await joinLine(context, key);
      const last = await joinLine(context, key, reader);
      await releaseHeld(writer, acceptMs);
      for (const waiter of readers) {
        const { lastToken } = await heirOf(context, waiter);
        const request = { key, owner: waiter.owner, token: lastToken, ttlMs: longMs, share: reader };
        assertEqual(await waiter.store.renew([request]), [true], 'a reader renews');
        await releaseHeld({ ...waiter, token: lastToken }, acceptMs);
      }
      const { lastToken } = await heirOf(context, next);
      assertEqual(last.probe.all(), [], 'what the reader behind the writer heard');
      await releaseHeld({ ...next, token: lastToken }, acceptMs);
      await heirOf(context, last);
    },
  },
];

function attempt(store: LeaseStore, key: string, share?: Share): Promise<AcquireReply> {
  return store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false, ...(share && { share }) });
}
