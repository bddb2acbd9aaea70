import type { LeaseStore } from '../../core/ports.ts';
import { assertAbove, assertBetween, assertEqual, assertGranted, assertRefused } from '../case-assertions.ts';
import { acceptMs, type LeaseStoreCase, longMs, newContender } from '../case-context.ts';

const theme = 'renewal';

export const renewalCases: readonly LeaseStoreCase[] = [
  {
    name: 'renew asks for owner and number',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('renew');
      const owner = newContender().newOwner();
      const { lastToken: token } = assertGranted(
        await store.acquire({ key, owner, ttlMs: longMs, line: false }),
        'the holder',
      );
      const ttlMs = longMs;
      const stranger = newContender().newOwner();
      assertEqual(await store.renew([{ key, owner: stranger, token, ttlMs }]), [false], 'a stranger');
      assertEqual(await store.renew([{ key, owner, token: token - 1, ttlMs }]), [false], 'an older number');
      assertEqual(await store.renew([{ key, owner, token: token + 1, ttlMs }]), [false], 'a later number');
      assertEqual(await store.renew([{ key, owner, token, ttlMs }]), [true], 'the holder itself');
      await store.release({ key, owner, token, acceptMs });
      assertEqual(await store.renew([{ key, owner, token, ttlMs }]), [false], 'after the release');
    },
  },
  {
    name: 'renewing lengthens and never shortens',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('length');
      const owner = newContender().newOwner();
      const reply = await store.acquire({ key, owner, ttlMs: longMs, line: false });
      const { lastToken: token } = assertGranted(reply, 'the holder');
      assertEqual(await store.renew([{ key, owner, token, ttlMs: 1_000 }]), [true], 'a short renewal');
      assertBetween(await remaining(store, key), longMs / 2, longMs, 'the time left after a short renewal');
      assertEqual(await store.renew([{ key, owner, token, ttlMs: 3 * longMs }]), [true], 'a long renewal');
      assertBetween(await remaining(store, key), 2 * longMs, 3 * longMs, 'the time left after a long renewal');
    },
  },
  {
    name: 'many are renewed in one step, answered in order',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const ttlMs = longMs;
      const contender = newContender();
      const held = await Promise.all(
        Array.from({ length: 12 }, async (_, i) => {
          const [key, owner] = [freshKey(`many${i}`), contender.newOwner()];
          const { lastToken: token } = assertGranted(await store.acquire({ key, owner, ttlMs, line: false }), key);
          return { key, owner, token, ttlMs };
        }),
      );
      const requests = held.flatMap((request, i) =>
        i % 3 === 1 ? [{ ...request, token: request.token - 1 }] : [request],
      );
      requests.push({ key: freshKey('nowhere'), owner: contender.newOwner(), token: 1, ttlMs });
      const answers = await store.renew([...requests].reverse());
      assertEqual(
        [...answers].reverse(),
        requests.map((_, i) => i < 12 && i % 3 !== 1),
        'the answers',
      );
      assertEqual(await store.renew([]), [], 'no request, no answer');
    },
  },
  {
    name: 'the reply was lost: the same grant id asks again and has the same grant, its end extended',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('again');
      const owner = newContender().newOwner();
      const first = assertGranted(await store.acquire({ key, owner, ttlMs: 5_000, line: false }), 'the first time');
      const again = assertGranted(await store.acquire({ key, owner, ttlMs: longMs, line: false }), 'the second time');
      assertEqual(again.lastToken, first.lastToken, 'the number of the grant');
      assertBetween(again.token, first.token, first.lastToken, 'the number to use');
      assertBetween(await remaining(store, key), longMs / 2, longMs, 'the time left');
      assertGranted(await store.acquire({ key, owner, ttlMs: 1_000, line: false }), 'the third time');
      assertBetween(await remaining(store, key), longMs / 2, longMs, 'the time left after a shorter request');
      const token = again.lastToken;
      assertEqual(await store.release({ key, owner, token, acceptMs }), true, 'one release ends it');
      const next = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
      assertAbove(assertGranted(next, 'the next').token, token, 'the next number');
    },
  },
];

async function remaining(store: LeaseStore, key: string): Promise<number | undefined> {
  const reply = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
  return assertRefused(reply, 'somebody else').remainingMs;
}
