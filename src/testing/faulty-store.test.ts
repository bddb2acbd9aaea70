import { describe, expect, it } from 'vitest';
import type { AcquireReply, AcquireRequest, Notice } from '../core/ports.ts';
import { memoryStore } from '../stores/memory/memory-store.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import { type CallFault, type FaultPlan, type NoticeFault, randomFaults } from './fault-plan.ts';
import { type FaultyStore, faultyStore } from './faulty-store.ts';
import { leaseOperations } from './lease-operation.ts';
import { seededRandom } from './seeded-random.ts';

const request: AcquireRequest = { key: 'k', owner: 'p.1@a', ttlMs: 1_000, line: false };
const other: AcquireRequest = { ...request, owner: 'q.1@b' };

function setup(plan: FaultPlan = {}): { clock: FakeClock; store: FaultyStore; direct: ReturnType<typeof memoryStore> } {
  const clock = fakeClock();
  const direct = memoryStore({ clock });
  return { clock, direct, store: faultyStore({ store: direct, clock, plan }) };
}

/** The first acquire meets this fault; nothing else does. */
const first = (fault: CallFault): FaultPlan => ({ call: ({ n }) => (n === 1 ? fault : undefined) });

const holderOf = async (store: ReturnType<typeof memoryStore>): Promise<string | undefined> =>
  (await store.list({ limit: 1 }))[0]?.owner;

describe('faultyStore', () => {
  it('is the store itself where nothing goes wrong, and records what happened', async () => {
    const { store, clock } = setup();
    await clock.advance(5);
    const reply = await store.acquire(request);
    expect(reply.granted).toBe(true);
    expect(store.history).toEqual([
      { op: 'acquire', request, reply, sentAtMs: 5, repliedAtMs: 5, executedAtMs: [5], process: 'client' },
    ]);
    expect(store.capabilities).toEqual(memoryStore().capabilities);
  });

  it('delays requests and replies', async () => {
    const { store, clock } = setup(first({ kind: 'delay', requestMs: 100, replyMs: 50 }));
    const reply = store.acquire(request);
    await clock.advance(200);
    expect(await reply).toMatchObject({ granted: true });
    expect(store.history[0]).toMatchObject({ sentAtMs: 0, executedAtMs: [100], repliedAtMs: 150 });
  });

  it('loses a request: not carried out, an error in the end', async () => {
    const { store, direct, clock } = setup(first({ kind: 'lost-request', errorMs: 300 }));
    const outcome = store.acquire(request).catch((error: unknown) => error);
    await clock.advance(300);
    expect(await outcome).toMatchObject({ name: 'LeaseError', code: 'store-unavailable', retryable: true });
    expect(await holderOf(direct)).toBeUndefined();
    expect(store.history[0]).toMatchObject({ executedAtMs: [], repliedAtMs: 300 });
  });

  it('loses a reply: carried out, and nobody hears of it', async () => {
    const { store, direct, clock } = setup(first({ kind: 'lost-reply' }));
    let answered = false;
    const outcome = store.acquire(request).then(
      () => 'answered',
      (error: { code: string }) => error.code,
    );
    void outcome.then(() => {
      answered = true;
    });
    await clock.advance(100_000);
    expect(answered).toBe(false);
    expect(store.history[0]).not.toHaveProperty('reply');
    expect(store.history[0]?.executedAtMs).toEqual([0]);
    store.resume();
    await clock.advance(1);
    expect(answered).toBe(false);
    await store.close();
    expect(await outcome).toBe('closed');
    expect(await direct.acquire(request).catch((error: { code: string }) => error.code)).toBe('closed');
  });

  it('carries a request out twice, and says so in the operations', async () => {
    const { store, direct, clock } = setup(first({ kind: 'duplicate', againMs: 2_000 }));
    const reply = (await store.acquire(request)) as AcquireReply & { granted: true };
    await store.release({ key: 'k', owner: request.owner, token: reply.lastToken, acceptMs: 100 });
    await clock.advance(1_999);
    expect(await holderOf(direct)).toBeUndefined();
    await clock.advance(1);
    expect(await holderOf(direct)).toBe(request.owner);
    const operations = leaseOperations(store.history);
    expect(operations.map(({ kind }) => kind)).toEqual(['acquire', 'acquire', 'release']);
    expect(operations[1]).toMatchObject({ calledAtMs: 0, returnedAtMs: Number.POSITIVE_INFINITY });
    expect(operations[1]).not.toHaveProperty('result');
  });

  it('hangs one call until it is resumed, before or after the store has seen it', async () => {
    for (const at of ['request', 'reply'] as const) {
      const { store, direct, clock } = setup(first({ kind: 'hang', at }));
      const reply = store.acquire(request);
      await clock.advance(500);
      expect(store.hanging()).toBe(1);
      expect(await holderOf(direct)).toBe(at === 'reply' ? request.owner : undefined);
      expect(await store.acquire(other)).toMatchObject({ granted: at === 'request' });
      store.resume();
      expect(await reply).toMatchObject({ granted: at === 'reply' });
    }
  });

  it('hangs everything, notices too', async () => {
    const { store, direct, clock } = setup();
    const heard: Notice[] = [];
    await store.subscribe('q', (notice) => heard.push(notice));
    const held = (await direct.acquire(request)) as AcquireReply & { granted: true };
    await store.acquire({ ...other, line: true });
    store.hang();
    const hung = store.list({ limit: 1 });
    await direct.release({ key: 'k', owner: request.owner, token: held.lastToken, acceptMs: 100 });
    await clock.advance(50);
    expect([heard, store.hanging()]).toEqual([[], 2]);
    store.resume();
    expect(await hung).toHaveLength(1);
    expect(heard).toMatchObject([{ kind: 'granted', owner: other.owner }]);
    expect(store.hanging()).toBe(0);
  });

  it('loses, delays and doubles notices', async () => {
    const hearing = async (fault: NoticeFault): Promise<readonly number[]> => {
      const { store, direct, clock } = setup({ notice: () => fault });
      const heard: number[] = [];
      await store.subscribe('p', () => heard.push(clock.monotonicMs()));
      await store.acquire(request);
      await direct.breakLease({ key: 'k', by: 'b', reason: 'r', acceptMs: 1 });
      await clock.advance(100);
      return heard;
    };
    expect(await hearing({ kind: 'lost' })).toEqual([]);
    expect(await hearing({ kind: 'late', ms: 40 })).toEqual([40]);
    expect(await hearing({ kind: 'doubled', againMs: 60 })).toEqual([0, 60]);
  });

  it('ends what hangs when it is closed', async () => {
    const { store } = setup();
    store.hang();
    const outcome = store.acquire(request).catch((error: { code: string }) => error.code);
    await store.close();
    expect(await outcome).toBe('closed');
    expect(await store.acquire(request).catch((error: { code: string }) => error.code)).toBe('closed');
  });
});

describe('randomFaults', () => {
  it('draws every kind it was given, and the same for the same seed', () => {
    const draw = (seed: number): readonly unknown[] => {
      const kinds = ['delay', 'duplicate', 'hang', 'lost-reply', 'lost-request'] as const;
      const plan = randomFaults(seededRandom(seed), { call: 0.5, notice: 0.5, delayMsMax: 100, kinds });
      const call = { op: 'acquire', request, process: 'p', n: 1 } as const;
      const notice: Notice = { kind: 'broken', key: 'k', owner: 'o' };
      return Array.from({ length: 200 }, () => [plan.call?.(call), plan.notice?.(notice)]).flat();
    };
    expect(draw(3)).toEqual(draw(3));
    const kinds = new Set(draw(3).map((fault) => (fault as { kind?: string } | undefined)?.kind));
    expect([...kinds].sort()).toEqual([
      'delay',
      'doubled',
      'duplicate',
      'hang',
      'late',
      'lost',
      'lost-reply',
      'lost-request',
      undefined,
    ]);
  });
});
