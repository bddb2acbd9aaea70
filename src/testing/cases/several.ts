import { limits } from '../../core/limits.ts';
import { assertAbove, assertBetween, assertEqual, assertGranted, assertThat } from '../case-assertions.ts';
import { acceptMs, type LeaseStoreCase, longMs, newContender } from '../case-context.ts';
import { hold } from './line-steps.ts';

const theme = 'several keys';
const needs = ['several'] as const;
const ttlMs = longMs;

export const severalCases: readonly LeaseStoreCase[] = [
  {
    name: 'all are granted together, each with numbers of its own',
    theme,
    needs,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const keys = ['c', 'a', 'b'].map(freshKey).sort();
      const owner = newContender().newOwner();
      const reply = await store.acquireAll({ keys, owner, ttlMs });
      assertThat(reply.granted, 'three free keys should be granted');
      assertEqual(reply.tokens.map(({ key }) => key).sort(), keys, 'the keys');
      for (const { key, token, lastToken } of reply.tokens) {
        assertBetween(lastToken - token, 0, limits.tokenBlock - 1, 'the width of the block');
        assertEqual(await store.renew([{ key, owner, token: lastToken, ttlMs }]), [true], `renewing ${key}`);
        const refused = await store.acquire({ key, owner: newContender().newOwner(), ttlMs, line: false });
        assertEqual(!refused.granted && refused.holder, owner, `who holds ${key}`);
        assertEqual(await store.release({ key, owner, token: lastToken, acceptMs }), true, `releasing ${key}`);
        const next = assertGranted(
          await store.acquire({ key, owner: newContender().newOwner(), ttlMs, line: false }),
          key,
        );
        assertAbove(next.token, lastToken, 'the next number');
      }
    },
  },
  {
    name: 'one is held: none is granted, and the refusal names it',
    theme,
    needs,
    async run(context) {
      const store = await context.openStore();
      const keys = ['a', 'b', 'c'].map(context.freshKey).sort();
      const [first, middle, last] = keys as [string, string, string];
      const held = await hold(context, middle);
      const reply = await store.acquireAll({ keys, owner: newContender().newOwner(), ttlMs });
      assertThat(!reply.granted, 'they should be refused');
      assertEqual([reply.key, reply.holder], [middle, held.owner], 'what is in the way');
      assertBetween(reply.remainingMs, longMs / 2, longMs, 'the time left');
      for (const key of [first, last]) {
        assertGranted(
          await store.acquire({ key, owner: newContender().newOwner(), ttlMs, line: false }),
          `${key}, not granted before`,
        );
      }
    },
  },
  {
    name: 'the reply was lost: the same grant id has the same grants again',
    theme,
    needs,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const keys = ['a', 'b'].map(freshKey).sort();
      const owner = newContender().newOwner();
      const first = await store.acquireAll({ keys, owner, ttlMs: 5_000 });
      const again = await store.acquireAll({ keys, owner, ttlMs });
      assertThat(first.granted && again.granted, 'both should be granted');
      const numbers = (reply: typeof first): unknown =>
        reply.granted && reply.tokens.map(({ key, lastToken }) => [key, lastToken]).sort();
      assertEqual(numbers(again), numbers(first), 'the numbers');
    },
  },
  {
    name: 'overlapping sets at once: no deadlock, and no key with two holders',
    theme,
    needs,
    async run({ openStore, freshKey }) {
      const stores = await Promise.all(Array.from({ length: 4 }, openStore));
      for (let round = 0; round < 8; round++) {
        const keys = Array.from({ length: 4 }, (_, i) => freshKey(`overlap${round}-${i}`)).sort();
        const replies = await Promise.all(
          stores.map((store, i) => {
            // Four sets in a ring: each shares a key with both neighbours.
            const wanted = [keys[i], keys[(i + 1) % 4]].filter((key) => key !== undefined).sort();
            return store.acquireAll({ keys: wanted, owner: newContender().newOwner(), ttlMs });
          }),
        );
        const granted = replies.flatMap((reply) => (reply.granted ? reply.tokens.map(({ key }) => key) : []));
        assertEqual(new Set(granted).size, granted.length, 'keys granted once');
        assertBetween(granted.length, 2, 4, 'how many keys were granted');
      }
    },
  },
  {
    name: 'single leases and sets exclude each other',
    theme,
    needs,
    async run({ openStore, freshKey }) {
      const stores = await Promise.all([openStore(), openStore()]);
      for (let round = 0; round < 10; round++) {
        const keys = ['a', 'b'].map((hint) => freshKey(`${hint}${round}`)).sort();
        const [all, one] = await Promise.all([
          stores[0].acquireAll({ keys, owner: newContender().newOwner(), ttlMs }),
          stores[1].acquire({ key: keys[1] ?? '', owner: newContender().newOwner(), ttlMs, line: false }),
        ]);
        assertEqual([all.granted, one.granted].filter(Boolean).length, 1, 'how many were granted');
      }
    },
  },
  {
    name: `${limits.keysPerRequestMax} keys are granted in one step`,
    theme,
    needs,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const keys = Array.from({ length: limits.keysPerRequestMax }, (_, i) => freshKey(`of${i}`)).sort();
      const owner = newContender().newOwner();
      const reply = await store.acquireAll({ keys, owner, ttlMs });
      assertThat(reply.granted, 'all should be granted');
      const answers = await store.renew(
        reply.tokens.map(({ key, lastToken: token }) => ({ key, owner, token, ttlMs })),
      );
      assertEqual(answers.filter(Boolean).length, keys.length, 'how many could be renewed');
    },
  },
];
