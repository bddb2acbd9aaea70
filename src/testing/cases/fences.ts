import { assertEqual } from '../case-assertions.ts';
import type { LeaseStoreCase } from '../case-context.ts';
import { takeOver } from './expiry.ts';
import { holdKey } from './line-steps.ts';

const theme = 'fences';
const needs = ['fences'] as const;

export const fenceCases: readonly LeaseStoreCase[] = [
  {
    name: 'a fence is raised only upwards; the same number again is the same holder',
    theme,
    needs,
    async run({ openStore, freshKey }) {
      const [first, second] = await Promise.all([openStore(), openStore()]);
      const resource = freshKey('up');
      assertEqual(await first.claim({ resource, token: 100 }), { claimed: true, token: 100 }, 'the first claim');
      assertEqual(await second.claim({ resource, token: 100 }), { claimed: true, token: 100 }, 'the same again');
      assertEqual(await second.claim({ resource, token: 99 }), { claimed: false, token: 100 }, 'an older one');
      assertEqual(await second.claim({ resource, token: 164 }), { claimed: true, token: 164 }, 'a newer one');
      assertEqual(await first.claim({ resource, token: 100 }), { claimed: false, token: 164 }, 'the first, too late');
    },
  },
  {
    name: 'fences of several resources do not know of each other, nor of leases of that name',
    theme,
    needs,
    async run(context) {
      const { key, store, token } = await holdKey(context, 'name');
      const other = context.freshKey('other');
      assertEqual(
        await store.claim({ resource: key, token: 5 }),
        { claimed: true, token: 5 },
        'a resource named like a lease',
      );
      assertEqual(await store.claim({ resource: other, token: 3 }), { claimed: true, token: 3 }, 'another resource');
      assertEqual(await store.claim({ resource: key, token }), { claimed: true, token }, 'the lease’s own number');
    },
  },
  {
    name: 'fifty claims at once leave the highest number',
    theme,
    needs,
    async run({ openStore, freshKey }) {
      const stores = await Promise.all([openStore(), openStore()]);
      const resource = freshKey('fifty');
      const tokens = Array.from({ length: 50 }, (_, i) => ((i * 37) % 50) + 1);
      const replies = await Promise.all(
        tokens.map((token, i) => (i % 2 ? stores[0] : stores[1]).claim({ resource, token })),
      );
      for (const [i, reply] of replies.entries()) {
        const token = tokens[i] ?? 0;
        assertEqual(reply.claimed, reply.token === token, `claim ${token} against a fence at ${reply.token}`);
        assertEqual(reply.token >= token, true, `the fence after claim ${token} stands at ${reply.token}`);
      }
      assertEqual(await stores[0].claim({ resource, token: 49 }), { claimed: false, token: 50 }, 'where it stands');
    },
  },
  {
    name: 'a holder that slept past its end is refused by the fence',
    theme,
    needs,
    async run(context) {
      const resource = context.freshKey('document');
      const sleeper = await holdKey(context, 'sleeper', context.ttlMs);
      assertEqual((await sleeper.store.claim({ resource, token: sleeper.token })).claimed, true, 'before it slept');
      const store = await context.openStore();
      const { granted } = await takeOver(context, store, sleeper.key);
      assertEqual((await store.claim({ resource, token: granted.token })).claimed, true, 'the new holder');
      const late = await sleeper.store.claim({ resource, token: sleeper.token });
      assertEqual(late, { claimed: false, token: granted.token }, 'the sleeper');
    },
  },
];
