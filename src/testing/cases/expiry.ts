import type { LeaseStore } from '../../core/ports.ts';
import {
  assertAbove,
  assertBetween,
  assertEqual,
  assertGranted,
  assertRefused,
  type GrantedReply,
} from '../case-assertions.ts';
import {
  acceptMs,
  type CaseContext,
  eventually,
  type LeaseStoreCase,
  longMs,
  newContender,
  onTime,
  pause,
} from '../case-context.ts';

const theme = 'expiry';

export const expiryCases: readonly LeaseStoreCase[] = [
  {
    name: 'at its end, and not before, a lease is taken over with a higher number',
    theme,
    async run(context) {
      const { openStore, freshKey, clock, ttlMs } = context;
      const [first, second] = await Promise.all([openStore(), openStore()]);
      const key = freshKey('end');
      const owner = newContender().newOwner();
      const sentMs = clock.monotonicMs();
      const old = assertGranted(await first.acquire({ key, owner, ttlMs, line: false }), 'the holder');
      const { granted, sentMs: takenMs } = await takeOver(context, second, key);
      // The store may have answered late, but it cannot have granted before the end counted from the sending.
      assertAbove(takenMs, sentMs + ttlMs - 5, 'when it was taken over');
      assertAbove(granted.token, old.lastToken, 'the number');
      assertEqual(await first.renew([{ key, owner, token: old.lastToken, ttlMs }]), [false], 'the old holder renews');
      assertEqual(
        await first.release({ key, owner, token: old.lastToken, acceptMs }),
        false,
        'the old holder releases',
      );
      assertEqual(
        await first.release({ key, owner, token: null, acceptMs }),
        false,
        'the old holder releases without a number',
      );
      assertRefused(await first.acquire({ key, owner, ttlMs, line: false }), 'the old holder asks again');
    },
  },
  {
    name: 'an ended lease is not revived by a renewal, even if nobody took it',
    theme,
    async run({ openStore, freshKey, clock, ttlMs }) {
      const store = await openStore();
      const key = freshKey('revive');
      const owner = newContender().newOwner();
      const { lastToken: token } = assertGranted(await store.acquire({ key, owner, ttlMs, line: false }), 'the holder');
      // Nothing tells when a lease has ended, so only time can: the store counts from before the reply.
      await pause(clock, ttlMs + 10);
      assertEqual(await store.renew([{ key, owner, token, ttlMs: longMs }]), [false], 'a late renewal');
      assertEqual(await store.list({ prefix: key, limit: 10 }), [], 'the list');
      assertGranted(await store.acquire({ key, owner: newContender().newOwner(), ttlMs, line: false }), 'the next');
    },
  },
  {
    name: 'renewed in time, a lease outlives its TTL; no longer renewed, it ends',
    theme,
    run: (context) => onTime(context.clock, context.ttlMs / 4, (took) => keepAliveThenStop(context, took)),
  },
  {
    name: 'while it ends and is renewed at once, there is never a second holder',
    theme,
    run: (context) => raceRenewalWithEnd(context),
  },
  {
    name: 'a loss is explained: ended by itself, or taken by somebody',
    theme,
    async run(context) {
      const { openStore, freshKey, clock, ttlMs } = context;
      const store = await openStore();
      const key = freshKey('explain');
      const owner = newContender().newOwner();
      const { lastToken: token } = assertGranted(await store.acquire({ key, owner, ttlMs, line: false }), 'the holder');
      await pause(clock, ttlMs + 10);
      assertEqual(await store.explainLoss({ key, owner, token }), { kind: 'expired' }, 'before somebody took it');
      const taker = newContender().newOwner();
      assertGranted(await store.acquire({ key, owner: taker, ttlMs: longMs, line: false }), 'the taker');
      assertEqual(await store.explainLoss({ key, owner, token }), { kind: 'taken', holder: taker }, 'after');
    },
  },
  {
    name: 'the longest TTL is a day, and is kept',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('day');
      const dayMs = 86_400_000;
      assertGranted(
        await store.acquire({ key, owner: newContender().newOwner(), ttlMs: dayMs, line: false }),
        'the holder',
      );
      const refused = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: dayMs, line: false });
      assertBetween(assertRefused(refused, 'the next').remainingMs, dayMs - longMs, dayMs, 'the time left');
    },
  },
];

/** Asks until the holder's time is over; `sentMs` belongs to the attempt that was granted. */
export async function takeOver(
  { clock, ttlMs }: CaseContext,
  store: LeaseStore,
  key: string,
): Promise<{ granted: GrantedReply; owner: string; sentMs: number }> {
  const owner = newContender('taker').newOwner();
  return eventually(clock, ttlMs + 5_000, `taking over "${key}"`, async () => {
    const reply = await store.acquire({ key, owner, ttlMs: longMs, line: false });
    return reply.granted ? { granted: reply, owner, sentMs: clock.monotonicMs() } : undefined;
  });
}

async function keepAliveThenStop(context: CaseContext, took: (ms: number) => void): Promise<void> {
  const { openStore, freshKey, clock, ttlMs } = context;
  const [first, second] = await Promise.all([openStore(), openStore()]);
  const key = freshKey('alive');
  const owner = newContender().newOwner();
  const { lastToken: token } = assertGranted(await first.acquire({ key, owner, ttlMs, line: false }), 'the holder');
  const untilMs = clock.monotonicMs() + 2.5 * ttlMs;
  for (let sentMs = clock.monotonicMs(); sentMs < untilMs; sentMs = clock.monotonicMs()) {
    const renewed = await first.renew([{ key, owner, token, ttlMs }]);
    const other = await second.acquire({ key, owner: newContender().newOwner(), ttlMs, line: false });
    took(clock.monotonicMs() - sentMs);
    assertEqual(renewed, [true], 'a renewal in time');
    assertRefused(other, 'somebody else');
    await pause(clock, ttlMs / 5);
  }
  const { granted } = await takeOver(context, second, key);
  assertAbove(granted.token, token, 'the number');
}

/** Renews at about the end, over and over; whoever wins, the other must hear no. */
async function raceRenewalWithEnd({ openStore, freshKey, clock, ttlMs }: CaseContext): Promise<void> {
  const [first, second] = await Promise.all([openStore(), openStore()]);
  await Promise.all(
    [-4, -1, 0, 1, 2, 4].map(async (offMs) => {
      const key = freshKey(`race${offMs}`);
      const owner = newContender().newOwner();
      const sentMs = clock.monotonicMs();
      const { lastToken: token } = assertGranted(await first.acquire({ key, owner, ttlMs, line: false }), 'the holder');
      await pause(clock, sentMs + ttlMs + offMs - clock.monotonicMs());
      const taker = newContender().newOwner();
      const [[renewed], taken] = await Promise.all([
        first.renew([{ key, owner, token, ttlMs: longMs }]),
        second.acquire({ key, owner: taker, ttlMs: longMs, line: false }),
      ]);
      assertEqual(renewed && taken.granted, false, 'both the renewal and the take-over succeeded');
      // Whoever lost then, loses now too.
      const [again] = await first.renew([{ key, owner, token, ttlMs: longMs }]);
      if (taken.granted || renewed) assertEqual(again, renewed, 'the renewal after the race');
    }),
  );
}
