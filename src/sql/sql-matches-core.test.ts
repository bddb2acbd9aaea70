/**
 * The statements against the core's pure decisions: the same random steps on PGlite and on the memory store, which
 * is the core applied to a map, must give the same answers, the same holders and waiters, and tell the same grants.
 * TTLs are long, so that both clocks agree on what is in force.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LeaseStore, Notice, RenewRequest, Share } from '../core/ports.ts';
import { migrate } from '../engine/migrate.ts';
import { memoryStore } from '../stores/memory/index.ts';
import { pgliteStore } from '../stores/pglite/index.ts';

const hour = 3_600_000;
const keys = ['a', 'b'] as const;
/** Who asks for what. A grant id always asks for the same, as the keeper's do. */
const contenders: readonly { readonly owner: string; readonly key: string; readonly share?: Share }[] = [
  { owner: 'p1.1@x', key: 'a' },
  { owner: 'p2.1@x', key: 'a' },
  { owner: 'p3.1@x', key: 'a' },
  { owner: 'p1.2@x', key: 'a', share: { weight: 1, capacity: 2 } },
  { owner: 'p2.2@x', key: 'a', share: { weight: 1, capacity: 2 } },
  { owner: 'p3.2@x', key: 'a', share: { weight: 2, capacity: 2 } },
  { owner: 'p1.3@x', key: 'a', share: { weight: 1, capacity: 3 } },
  { owner: 'p1.4@x', key: 'b' },
  { owner: 'p2.4@x', key: 'b', share: { weight: 1, capacity: 1_000_000_000 } },
  { owner: 'p3.4@x', key: 'b', share: { weight: 3, capacity: 1_000_000_000 } },
];

type Which = 'own' | 'any' | 'stale';
type Step =
  | { readonly do: 'ask'; readonly who: number; readonly line: boolean }
  | { readonly do: 'askAll'; readonly who: number }
  | { readonly do: 'release'; readonly who: number; readonly key: string | undefined; readonly token: Which }
  | { readonly do: 'renew'; readonly who: readonly number[]; readonly token: Which }
  | { readonly do: 'leave'; readonly who: number }
  | { readonly do: 'break'; readonly key: string };

const who = fc.nat(contenders.length - 1);
const token = fc.constantFrom<Which>('own', 'own', 'own', 'any', 'stale');
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('ask' as const), who, line: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('askAll' as const), who }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('release' as const),
      who,
      key: fc.constantFrom(undefined, undefined, ...keys),
      token,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('renew' as const), who: fc.array(who, { maxLength: 4 }), token }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('leave' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const), key: fc.constantFrom(...keys) }) },
);

/** One store under test: what it told, and which token each grant has in it. */
interface Side {
  readonly store: LeaseStore;
  readonly tokens: Map<string, number>;
  readonly told: unknown[];
  /** How many numbers each grant came with, since the last step. */
  readonly blocks: number[];
  close(): Promise<void>;
}

let pglite: LeaseStore;
let run = 0;

beforeAll(async () => {
  pglite = pgliteStore({ dir: 'memory' });
  if (pglite.schema) await migrate(pglite.schema.database, pglite.schema.migrations);
});

afterAll(() => pglite.close());

it('gives the same answers as the core for any sequence of steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 40 }), async (steps) => {
      const prefix = `run ${run++}/`;
      // One millisecond per step, so that a block of numbers is always behind the clock, as it is on a real store.
      let nowMs = 1_800_000_000_000;
      const memory = await openSide(memoryStore({ clock: { wallMs: () => nowMs, monotonicMs: () => nowMs } }), prefix);
      const sql = await openSide(pglite, prefix);
      try {
        const drain = [...contenders, ...contenders].map((_, i): Step => {
          return { do: 'release', who: i % contenders.length, key: undefined, token: 'any' };
        });
        for (const step of [...steps, ...drain, ...drain]) {
          nowMs += 1;
          const [wanted, got] = [await takeStep(memory, prefix, step), await takeStep(sql, prefix, step)];
          expect({ step, ...got }).toEqual({ step, ...wanted });
          // PGlite's clock moves in milliseconds: a second grant within one is a single number, which is right too.
          const [blocks, sqlBlocks] = [memory.blocks.splice(0), sql.blocks.splice(0)];
          expect(sqlBlocks).toEqual(blocks.map((numbers, i) => (sqlBlocks[i] === 1 ? 1 : numbers)));
        }
      } finally {
        await memory.close();
        await sql.close();
      }
    }),
    { numRuns: 60 },
  );
}, 120_000);

async function openSide(store: LeaseStore, prefix: string): Promise<Side> {
  const told: unknown[] = [];
  const blocks: number[] = [];
  const tokens = new Map<string, number>();
  const hear = (notice: Notice): void => {
    if (!notice.key.startsWith(prefix)) return;
    if (notice.kind === 'broken') return void told.push(notice);
    const { token: first, lastToken, ...rest } = notice;
    tokens.set(rest.key + rest.owner, lastToken);
    blocks.push(lastToken - first + 1);
    told.push(rest);
  };
  const subscriptions = await Promise.all(['p1', 'p2', 'p3'].map((process) => store.subscribe(process, hear)));
  return {
    store,
    tokens,
    told,
    blocks,
    close: async () => void (await Promise.all(subscriptions.map((subscription) => subscription.close()))),
  };
}

async function takeStep(side: Side, prefix: string, step: Step): Promise<Record<string, unknown>> {
  const answer = await act(side, prefix, step);
  const listed = await side.store.list({ prefix, limit: 100 });
  return {
    answer,
    // Each store has numbers of its own.
    listed: listed.map(({ key, owner, share, waiting }) => ({ key, owner, share, waiting })),
    told: side.told.splice(0),
  };
}

async function act({ store, tokens, blocks }: Side, prefix: string, step: Step): Promise<unknown> {
  if (step.do === 'break') {
    const reply = await store.breakLease({ key: prefix + step.key, by: 'operator', reason: 'test', acceptMs: hour });
    return reply.broken ? { broken: true, holders: reply.holders } : reply;
  }
  const tokenOf = (key: string, owner: string, which: Which): number | null => {
    if (which === 'any') return null;
    return which === 'stale' ? 1 : (tokens.get(key + owner) ?? 2);
  };
  if (step.do === 'renew') {
    const requests = step.who.flatMap((n): RenewRequest[] => {
      const { owner, key, share } = contenders[n] ?? fail();
      const named = prefix + key;
      return [
        { key: named, owner, ttlMs: hour, token: tokenOf(named, owner, step.token) ?? 3, ...(share && { share }) },
      ];
    });
    return store.renew(requests);
  }
  const { owner, key, share } = contenders[step.who] ?? fail();
  const named = prefix + key;
  switch (step.do) {
    case 'ask': {
      const reply = await store.acquire({ key: named, owner, ttlMs: hour, line: step.line, ...(share && { share }) });
      if (!reply.granted) return { granted: false, holder: reply.holder, inLine: reply.inLine };
      tokens.set(named + owner, reply.lastToken);
      blocks.push(reply.lastToken - reply.token + 1);
      return { granted: true };
    }
    case 'askAll': {
      if (share) return undefined;
      const reply = await store.acquireAll({ keys: keys.map((k) => prefix + k), owner, ttlMs: hour });
      if (!reply.granted) return { granted: false, key: reply.key, holder: reply.holder };
      for (const grant of reply.tokens) {
        tokens.set(grant.key + owner, grant.lastToken);
        blocks.push(grant.lastToken - grant.token + 1);
      }
      return reply.tokens.map((grant) => grant.key);
    }
    case 'release': {
      const other = prefix + (step.key ?? key);
      return store.release({
        key: other,
        owner,
        token: tokenOf(other, owner, step.token),
        acceptMs: hour,
        ...(share && { share }),
      });
    }
    case 'leave':
      return store.leave({ key: named, owner });
  }
}

function fail(): never {
  throw new Error('no such contender');
}
