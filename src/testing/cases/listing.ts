import type { ListPlace } from '../../core/ports.ts';
import { assertBetween, assertEqual } from '../case-assertions.ts';
import { acceptMs, type LeaseStoreCase, longMs } from '../case-context.ts';
import { hold, holdKey, joinLine, releaseHeld } from './line-steps.ts';

const theme = 'listing';

export const listingCases: readonly LeaseStoreCase[] = [
  {
    name: 'the list shows who holds what, with its number and the time left',
    theme,
    async run(context) {
      const { store, key, owner, token } = await holdKey(context, 'shown');
      const [info, ...rest] = await store.list({ prefix: key, limit: 10 });
      assertEqual(rest, [], 'more than one');
      assertEqual([info?.key, info?.owner, info?.token, info?.waiting], [key, owner, token, 0], 'the entry');
      assertEqual(info?.share, undefined, 'the share of an exclusive lease');
      assertBetween(info?.remainingMs, longMs / 2, longMs, 'the time left');
    },
  },
  {
    name: 'a prefix chooses, a limit cuts, the order is that of the keys',
    theme,
    async run(context) {
      const prefix = context.freshKey('many');
      const keys = ['/3', '/1', '/2', '%', '_', '/1/x'].map((suffix) => prefix + suffix);
      for (const key of keys) await hold(context, key);
      const store = await context.openStore();
      const list = async (from: string, limit: number): Promise<readonly string[]> => {
        const found = await store.list({ prefix: from, limit });
        return found.map(({ key }) => key.slice(prefix.length));
      };
      assertEqual(await list(prefix, 100), ['%', '/1', '/1/x', '/2', '/3', '_'], 'all');
      assertEqual(await list(`${prefix}/`, 3), ['/1', '/1/x', '/2'], 'the first three');
      assertEqual(await list(`${prefix}/1`, 100), ['/1', '/1/x'], 'a longer prefix');
      assertEqual(await list(`${prefix}%`, 100), ['%'], 'a per cent sign is itself');
      assertEqual(await list(`${prefix}_`, 100), ['_'], 'an underscore is itself');
      assertEqual(await list(`${prefix}\\`, 100), [], 'a backslash is itself');
      const everything = await store.list({ limit: 5 });
      assertEqual(everything.length, 5, 'without a prefix, up to the limit');
    },
  },
  {
    name: 'page after page shows each once, also when the last one of a page is gone by then',
    theme,
    async run(context) {
      const prefix = context.freshKey('pages');
      const held = new Map<string, Awaited<ReturnType<typeof hold>>>();
      for (const suffix of ['/b', '/a', '/d', '/c', '/e'])
        held.set(prefix + suffix, await hold(context, prefix + suffix));
      const store = await context.openStore();
      const seen: string[] = [];
      for (let after: ListPlace | undefined; ; ) {
        const page = await store.list({ prefix, limit: 2, ...(after && { after }) });
        seen.push(...page.map(({ key }) => key.slice(prefix.length)));
        after = page.at(-1);
        if (!after || page.length < 2) break;
        const last = held.get(after.key);
        if (last) await releaseHeld(last, acceptMs);
      }
      assertEqual(seen, ['/a', '/b', '/c', '/d', '/e'], 'all pages');
    },
  },
  {
    name: 'a page may end between the holders of one key',
    theme,
    needs: ['counted'],
    async run(context) {
      const key = context.freshKey('holders');
      const parts = [];
      for (let i = 0; i < 3; i++) parts.push(await hold(context, key, { weight: 1, capacity: 4 }));
      await hold(context, `${key}/next`);
      const store = await context.openStore();
      const tokens: number[] = [];
      for (let after: ListPlace | undefined; tokens.length < 10; ) {
        const [one] = await store.list({ prefix: key, limit: 1, ...(after && { after }) });
        if (!one) break;
        if (one.key === key) tokens.push(one.token);
        after = one;
      }
      assertEqual(
        tokens,
        parts.map(({ token }) => token).sort((a, b) => a - b),
        'the tokens of the holders',
      );
    },
  },
  {
    name: 'what was released is not shown',
    theme,
    async run(context) {
      const held = await holdKey(context, 'gone');
      await releaseHeld(held, acceptMs);
      assertEqual(await held.store.list({ prefix: held.key, limit: 10 }), [], 'the list');
    },
  },
  {
    name: 'every part of a counted lease is shown, with its share',
    theme,
    needs: ['counted'],
    async run(context) {
      const key = context.freshKey('parts');
      const [small, large] = [
        await hold(context, key, { weight: 1, capacity: 4 }),
        await hold(context, key, { weight: 3, capacity: 4 }),
      ];
      const list = await small.store.list({ prefix: key, limit: 10 });
      const entries = list.map(({ owner, token, share }) => ({
        owner,
        token,
        weight: share?.weight,
        capacity: share?.capacity,
      }));
      const expected = [small, large].map(({ owner, token, share }) => ({ owner, token, ...share }));
      const inOrder = (shown: { token: number }[]): unknown => [...shown].sort((a, b) => a.token - b.token);
      assertEqual(inOrder(entries), inOrder(expected), 'the entries');
    },
  },
  {
    name: 'the list says how many wait',
    theme,
    needs: ['line'],
    async run(context) {
      const held = await holdKey(context, 'waiting');
      await joinLine(context, held.key);
      await joinLine(context, held.key);
      const [info] = await held.store.list({ prefix: held.key, limit: 1 });
      assertEqual(info?.waiting, 2, 'how many wait');
    },
  },
];
