/**
 * The scripts against the core's pure decisions: the same random steps on Redis and on the memory store, which is the
 * core applied to a map, must give the same answers, the same holders and waiters, and tell the same grants.
 * TTLs are long, so that both clocks agree on what is in force.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openRedisClient, redisLibraryVersion } from '../../../test/servers/redis-clients.ts';
import { startRedis } from '../../../test/servers/redis-server.ts';
import type { LeaseStore, Notice, Share } from '../../core/ports.ts';
import { memoryStore } from '../memory/index.ts';
import { redisStore } from './redis-store.ts';

const hour = 3_600_000;
const keys = ['a', 'b'] as const;
const two = (weight: number): Share => ({ weight, capacity: 2 });
/** Who asks for what. A grant id always asks for the same, as the keeper's do. */
const contenders: readonly { readonly owner: string; readonly key: string; readonly share?: Share }[] = [
  { owner: 'p1.1@x', key: 'a' },
  { owner: 'p2.1@x', key: 'a' },
  { owner: 'p1.2@x', key: 'a', share: two(1) },
  { owner: 'p2.2@x', key: 'a', share: two(1) },
  { owner: 'p2.3@x', key: 'a', share: two(2) },
  { owner: 'p1.3@x', key: 'a', share: { weight: 1, capacity: 3 } },
  { owner: 'p1.4@x', key: 'b' },
  { owner: 'p2.4@x', key: 'b', share: { weight: 3, capacity: 1_000_000_000 } },
];

interface Step {
  readonly action: 'ask' | 'try' | 'askAll' | 'release' | 'renew' | 'leave' | 'break';
  readonly who: number;
  /** `other`: the key that this contender does not ask for. */
  readonly key: 'own' | 'other';
  readonly token: 'own' | 'any' | 'stale';
  /** A hint: it must not change any answer. */
  readonly handedOver: boolean;
}

const anyStep: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(
    'ask',
    'ask',
    'ask',
    'try',
    'askAll',
    'release',
    'release',
    'release',
    'renew',
    'leave',
    'break',
  ),
  who: fc.nat(contenders.length - 1),
  key: fc.constantFrom('own', 'own', 'own', 'own', 'other'),
  token: fc.constantFrom('own', 'own', 'own', 'any', 'stale'),
  handedOver: fc.boolean(),
});

/** One store under test: which token each grant has in it, and what it told since the last step. */
interface Side {
  readonly store: LeaseStore;
  readonly tokens: Map<string, number>;
  readonly told: unknown[];
}

it('gives the same answers as the core for any sequence of steps', async ({ skip }) => {
  const started = await openRedis();
  if (typeof started === 'string') return skip(started);
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 40 }), async (steps) => {
        const prefix = `run ${run++}/`;
        // One millisecond per step, so that a block of numbers is always behind the clock, as it is on a real store.
        let nowMs = 1_800_000_000_000;
        const memory = await openSide(
          memoryStore({ clock: { wallMs: () => nowMs, monotonicMs: () => nowMs } }),
          prefix,
        );
        const redis = await openSide(started.store, prefix);
        const drain = [...contenders, ...contenders].map((_, i): Step => {
          return { action: 'release', who: i % contenders.length, key: 'own', token: 'any', handedOver: false };
        });
        for (const step of [...steps, ...drain]) {
          nowMs += 1;
          const wanted = await takeStep(memory, prefix, step);
          const got = await takeStep(redis, prefix, step);
          await started.hearAll();
          expect({ step, ...got, ...(await settle(redis, prefix)) }).toEqual({
            step,
            ...wanted,
            ...(await settle(memory, prefix)),
          });
        }
        await redis.close();
      }),
      { numRuns: 120 },
    );
  } finally {
    await started.close();
  }
}, 120_000);

async function openRedis(): Promise<{ store: LeaseStore; hearAll(): Promise<void>; close(): Promise<void> } | string> {
  try {
    redisLibraryVersion('ioredis');
    const server = await startRedis();
    const [main, listener] = [
      await openRedisClient('ioredis', server.port),
      await openRedisClient('ioredis', server.port),
    ];
    const store = redisStore({ client: main.client, subscriber: listener.client });
    let mark = (): void => {};
    const publisher = main.client as unknown as { publish(channel: string, message: string): Promise<number> };
    const marks = listener.client as unknown as { subscribe(channel: string): Promise<unknown> };
    await marks.subscribe('mark');
    listener.client.on('message', (channel) => {
      if (channel === 'mark') mark();
    });
    return {
      store,
      /** What was published before the mark has arrived when the mark does. */
      async hearAll() {
        const heard = new Promise<void>((resolve) => {
          mark = resolve;
        });
        await publisher.publish('mark', '');
        await heard;
      },
      async close() {
        await store.close();
        main.close();
        listener.close();
        await server.stop();
      },
    };
  } catch (error) {
    if (error instanceof Error && error.message.includes('is not installed')) return error.message;
    throw error;
  }
}

async function openSide(store: LeaseStore, prefix: string): Promise<Side & { close(): Promise<void> }> {
  const told: unknown[] = [];
  const tokens = new Map<string, number>();
  const hear = (notice: Notice): void => {
    if (!notice.key.startsWith(prefix)) return;
    if (notice.kind === 'broken') return void told.push(`broken ${notice.owner} ${notice.key}`);
    const { key, owner, token, lastToken, acceptMs } = notice;
    tokens.set(key + owner, lastToken);
    told.push(`granted ${owner} ${key} ${acceptMs} ${lastToken - token >= 0}`);
  };
  const subscriptions = await Promise.all(['p1', 'p2'].map((process) => store.subscribe(process, hear)));
  const close = async (): Promise<void> => {
    await Promise.all(subscriptions.map((subscription) => subscription.close()));
  };
  return { store, tokens, told, close };
}

async function takeStep(side: Side, prefix: string, step: Step): Promise<Record<string, unknown>> {
  const answer = await act(side, prefix, step);
  const listed = await side.store.list({ prefix, limit: 100 });
  // Each store has numbers of its own.
  return { answer, listed: listed.map(({ token, remainingMs, ...rest }) => rest) };
}

/** What can be asked once every notice has arrived: before, a grant's number may not be known here. */
async function settle({ store, tokens, told }: Side, prefix: string): Promise<Record<string, unknown>> {
  const losses = await Promise.all(
    contenders.map(({ owner, key }) => {
      return store.explainLoss({ key: prefix + key, owner, token: tokens.get(prefix + key + owner) ?? 2 });
    }),
  );
  return { losses, told: told.splice(0).sort() };
}

async function act({ store, tokens }: Side, prefix: string, step: Step): Promise<unknown> {
  const contender = contenders[step.who];
  if (!contender) throw new Error('no such contender');
  const { owner, share } = contender;
  const own = prefix + contender.key;
  const key = step.key === 'own' ? own : prefix + (contender.key === 'a' ? 'b' : 'a');
  const number = step.token === 'stale' ? 1 : (tokens.get(key + owner) ?? 2);
  const shared = share ? { share } : {};
  switch (step.action) {
    case 'ask':
    case 'try': {
      const reply = await store.acquire({ key: own, owner, ttlMs: hour, line: step.action === 'ask', ...shared });
      if (!reply.granted) return { granted: false, holder: reply.holder, inLine: reply.inLine };
      tokens.set(own + owner, reply.lastToken);
      return { granted: true, block: reply.lastToken - reply.token };
    }
    case 'askAll': {
      if (share) return undefined;
      const reply = await store.acquireAll({ keys: keys.map((k) => prefix + k), owner, ttlMs: hour });
      if (!reply.granted) return { granted: false, key: reply.key, holder: reply.holder };
      for (const grant of reply.tokens) tokens.set(grant.key + owner, grant.lastToken);
      return reply.tokens.map((grant) => [grant.key, grant.lastToken - grant.token]);
    }
    case 'release':
      return store.release({
        key,
        owner,
        token: step.token === 'any' ? null : number,
        acceptMs: hour,
        handedOver: step.handedOver,
        ...shared,
      });
    case 'renew':
      return store.renew([
        { key, owner, token: number, ttlMs: hour, ...shared },
        { key: own, owner, token: 3, ttlMs: hour, ...shared },
      ]);
    case 'leave':
      return store.leave({ key, owner });
    case 'break': {
      const reply = await store.breakLease({ key, by: 'operator', reason: 'test', acceptMs: hour });
      return { broken: reply.broken, holders: reply.broken && reply.holders };
    }
  }
}
