/** The locks over one analysis in memory, at a clock that the test moves; on real databases: test/conformance. */
import { describe, expect, it } from 'vitest';
import { limits } from '../../core/limits.ts';
import type { AnalysisLock } from './analysis-lock.ts';
import type { AnalysisEvent } from './analysis-repo.ts';
import { type LockTableOptions, lockTable } from './lock-table.ts';

const free: AnalysisLock = { owner: undefined, endUs: undefined, heartbeatUs: undefined, token: 0 };
const startUs = 1_800_000_000_000_000;

function setup(options: Partial<LockTableOptions> = {}) {
  const state = { status: 'PENDING' as unknown, lock: free, nowUs: startUs, changes: 0 };
  const events: AnalysisEvent[] = [];
  const said: string[] = [];
  const say =
    (level: string) =>
    (message: string): void =>
      void said.push(`${level}: ${message}`);
  const seen = (id: string) =>
    id === 'a1' ? { status: state.status, lock: state.lock, nowUs: state.nowUs } : undefined;
  const table = lockTable({
    name: 'memory',
    read: async (id) => seen(id),
    async change(id, change) {
      state.changes += 1;
      const next = change(seen(id));
      if (next) state.lock = next;
    },
    onEvent: (event) => events.push(event),
    logger: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') },
    ...options,
  });
  const grant = async (owner: string, ttlSec?: number): Promise<number> => {
    const reply = await table.acquireAnalysisLock('a1', owner, ttlSec);
    if (!reply.acquired) throw new Error(reply.reason);
    return reply.token;
  };
  return { state, events, said, table, grant };
}

describe('acquireAnalysisLock', () => {
  it('grants for five minutes unless told otherwise, and a refusal writes nothing and says when to come back', async () => {
    const { state, table, grant } = setup();
    const token = await grant('w1');
    expect(state.lock).toEqual({ owner: 'w1', endUs: startUs + 300_000_000, heartbeatUs: startUs, token });
    const changes = state.changes;
    state.nowUs += 100_000_000;
    expect(await table.acquireAnalysisLock('a1', 'w2')).toEqual({
      acquired: false,
      reason: 'locked',
      retryAfterMs: 200_000,
    });
    expect(state.changes).toBe(changes);
  });

  it.each(['READY', 'FAILED'])('never locks an analysis that is %s', async (status) => {
    const { state, table } = setup();
    state.status = status;
    expect(await table.acquireAnalysisLock('a1', 'w1')).toEqual({ acquired: false, reason: 'already_finished' });
    expect(state.changes).toBe(0);
  });

  it('says that there is no such analysis', async () => {
    await expect(setup().table.acquireAnalysisLock('a2', 'w1')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('what happened between the look and the transaction decides', async () => {
    const { state, table } = setup({
      async change(_id, change) {
        expect(change({ status: 'READY', lock: free, nowUs: startUs })).toBeUndefined();
      },
    });
    expect(await table.acquireAnalysisLock('a1', 'w1')).toEqual({ acquired: false, reason: 'already_finished' });
    expect(state.lock).toBe(free);
    const gone = setup({ change: async (_id, change) => void change(undefined) });
    await expect(gone.table.acquireAnalysisLock('a1', 'w1')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('takes over a lock that has ended, and tells whose it was', async () => {
    const { state, events, said, table, grant } = setup();
    await grant('w1', 10);
    expect(events).toEqual([]);
    state.nowUs += 10_000_000;
    const reply = await table.acquireAnalysisLock('a1', 'w2');
    expect(reply).toMatchObject({ acquired: true, takenOverFrom: 'w1' });
    const token = reply.acquired ? reply.token : 0;
    expect(events).toEqual([{ type: 'taken-over', analysisId: 'a1', from: 'w1', by: 'w2', token }]);
    expect(said).toEqual(['info: an analysis lock that had ended was taken over']);
  });

  it('tells of an end that cannot be read, and whether the lock counts as over', async () => {
    const { state, events, said, table } = setup();
    state.lock = { owner: 'w1', endUs: undefined, heartbeatUs: startUs, token: 7 };
    expect(await table.acquireAnalysisLock('a1', 'w2', 10)).toMatchObject({ acquired: false });
    state.nowUs += 10_000_000;
    expect(await table.acquireAnalysisLock('a1', 'w2', 10)).toMatchObject({ acquired: true });
    const malformed = { type: 'malformed-lock', analysisId: 'a1', owner: 'w1' };
    expect(events.slice(0, 2)).toEqual([
      { ...malformed, expired: false },
      { ...malformed, expired: true },
    ]);
    expect(said[0]).toMatch(/^warn: /);
  });

  it('a listener that throws takes no lock away', async () => {
    const { state, said, grant } = setup({
      onEvent() {
        throw new Error('listener');
      },
    });
    state.lock = { owner: 'w1', endUs: startUs - 1, heartbeatUs: startUs - 9, token: 7 };
    expect(await grant('w2')).toBeGreaterThan(7);
    expect(said).toContain('error: a listener for analysis events failed');
  });

  it('whoever names the number it holds holds on; a name alone does not', async () => {
    const { table, grant } = setup();
    const token = await grant('w1');
    expect(await table.acquireAnalysisLock('a1', 'w1')).toMatchObject({ acquired: false });
    expect(await table.acquireAnalysisLock('a1', 'w1', 60, { token })).toEqual({ acquired: true, token });
  });
});

describe('refresh and release', () => {
  it('remember the number for callers that name only themselves', async () => {
    const { state, table, grant } = setup();
    const token = await grant('w1', 10);
    state.nowUs += 5_000_000;
    await table.refreshAnalysisLock('a1', 'w1', 10);
    expect(state.lock).toMatchObject({ endUs: startUs + 15_000_000, heartbeatUs: startUs + 5_000_000, token });
    await table.releaseAnalysisLock('a1', 'w1');
    expect(state.lock).toEqual({ ...free, token });
  });

  it('take the number that another process was given', async () => {
    const { state, table } = setup();
    state.lock = { owner: 'w1', endUs: startUs + 1_000_000, heartbeatUs: startUs, token: 7 };
    await table.refreshAnalysisLock('a1', 'w1', undefined, { token: 7 });
    expect(state.lock.endUs).toBe(startUs + 300_000_000);
    await table.releaseAnalysisLock('a1', 'w1', { token: 7 });
    expect(state.lock.owner).toBeUndefined();
  });

  it('a refresh of what is over, finished, gone or never granted says: stop the work', async () => {
    const { state, table, grant } = setup();
    const lost = { code: 'lease-lost', analysisId: 'a1' };
    await expect(table.refreshAnalysisLock('a1', 'w1')).rejects.toMatchObject(lost);
    await grant('w1', 10);
    state.status = 'READY';
    await expect(table.refreshAnalysisLock('a1', 'w1')).rejects.toMatchObject(lost);
    state.status = 'PENDING';
    // The number was forgotten with the loss.
    await expect(table.refreshAnalysisLock('a1', 'w1')).rejects.toMatchObject(lost);
    await expect(table.refreshAnalysisLock('a2', 'w1', 10, { token: 1 })).rejects.toMatchObject({ code: 'lease-lost' });
  });

  it('a release without a known number, and one that fails, are told and do no harm', async () => {
    const { said, table } = setup({ change: () => Promise.reject(new Error('down')) });
    await table.releaseAnalysisLock('a1', 'w1');
    await table.releaseAnalysisLock('a1', 'w1', { token: 1 });
    expect(said).toEqual([
      'warn: an analysis lock was not released: no token is known for this owner',
      'warn: an analysis lock was not released; it ends with its TTL',
    ]);
  });

  it('what is released is somebody else’s no more: the number is forgotten', async () => {
    const { state, table, grant } = setup();
    await grant('w1');
    await table.releaseAnalysisLock('a1', 'w1');
    const changes = state.changes;
    await table.releaseAnalysisLock('a1', 'w1');
    expect(state.changes).toBe(changes);
  });
});

describe('lockRemainingMs', () => {
  it('is what is left of a lock in force, and nothing otherwise', async () => {
    const { state, table, grant } = setup();
    expect(await table.lockRemainingMs('a1')).toBeUndefined();
    expect(await table.lockRemainingMs('a2')).toBeUndefined();
    await grant('w1', 10);
    state.nowUs += 4_000_000;
    expect(await table.lockRemainingMs('a1')).toBe(6_000);
    state.nowUs += 6_000_000;
    expect(await table.lockRemainingMs('a1')).toBeUndefined();
    state.lock = { ...state.lock, endUs: undefined };
    expect(await table.lockRemainingMs('a1')).toBeUndefined();
    state.lock = { ...free, endUs: state.nowUs + 1 };
    expect(await table.lockRemainingMs('a1')).toBeUndefined();
  });
});

describe('arguments', () => {
  it('are refused before anything is read', async () => {
    const { table } = setup({ read: () => Promise.reject(new Error('was read')) });
    const wrong = { code: 'invalid-argument' };
    await expect(table.acquireAnalysisLock('', 'w1')).rejects.toMatchObject(wrong);
    await expect(table.lockRemainingMs('')).rejects.toMatchObject(wrong);
    for (const owner of ['', 'x'.repeat(257), 7 as unknown as string]) {
      await expect(table.acquireAnalysisLock('a1', owner)).rejects.toMatchObject(wrong);
      await expect(table.refreshAnalysisLock('a1', owner)).rejects.toMatchObject(wrong);
      await expect(table.releaseAnalysisLock('a1', owner)).rejects.toMatchObject(wrong);
    }
    await expect(table.refreshAnalysisLock('', 'w1')).rejects.toMatchObject(wrong);
    await expect(table.releaseAnalysisLock('', 'w1')).rejects.toMatchObject(wrong);
    for (const ttlSec of [limits.ttlMsMin / 1000 - 0.001, limits.ttlMsMax / 1000 + 1, Number.NaN]) {
      await expect(table.acquireAnalysisLock('a1', 'w1', ttlSec)).rejects.toMatchObject(wrong);
    }
  });

  it('may lie on their bounds; a fraction of a millisecond is rounded up', async () => {
    const { state, grant, table } = setup();
    await grant('x'.repeat(256), limits.ttlMsMin / 1000);
    await table.releaseAnalysisLock('a1', 'x'.repeat(256));
    await grant('w1', limits.ttlMsMax / 1000);
    await table.releaseAnalysisLock('a1', 'w1');
    await grant('w1', 10.0001);
    expect(state.lock.endUs).toBe(startUs + 10_001_000);
  });
});

describe('the locks as a lease store', () => {
  const request = { key: 'a1', owner: 'g1', ttlMs: 1_000.5, line: false };

  it('gives one number per grant, the same again for the same grant id', async () => {
    const { state, table } = setup();
    const first = await table.leases.acquire(request);
    expect(first).toEqual({ granted: true, token: state.lock.token, lastToken: state.lock.token });
    expect(state.lock.endUs).toBe(startUs + 1_001_000);
    expect(await table.leases.acquire(request)).toEqual(first);
  });

  it('refuses what is locked with its holder, what is finished or missing without one, always without a line', async () => {
    const { state, table, grant } = setup();
    await grant('w1', 10);
    const refused = { granted: false, token: Number.MAX_SAFE_INTEGER, inLine: false };
    expect(await table.leases.acquire(request)).toEqual({ ...refused, holder: 'w1', remainingMs: 10_000 });
    expect(await table.leases.acquire({ ...request, key: 'a2' })).toEqual(refused);
    state.status = 'FAILED';
    expect(await table.leases.acquire(request)).toEqual(refused);
    expect(await table.leases.leave({ key: 'a1', owner: 'g1' })).toBe(false);
  });

  it('renews and releases by owner and number', async () => {
    const { state, table } = setup();
    await table.leases.acquire(request);
    const right = { key: 'a1', owner: 'g1', token: state.lock.token };
    const asked = { ...right, ttlMs: 2_000.5 };
    expect(await table.leases.renew([asked, { ...asked, token: 1 }])).toEqual([true, false]);
    expect(state.lock.endUs).toBe(startUs + 2_001_000);
    expect(await table.leases.release({ ...right, owner: 'g2', acceptMs: 0 })).toBe(false);
    expect(await table.leases.release({ ...right, acceptMs: 0 })).toBe(true);
    expect(state.lock.owner).toBeUndefined();
  });

  it('one renewal without an answer leaves all in doubt', async () => {
    const { table } = setup({ change: () => Promise.reject(new Error('down')) });
    const asked = { key: 'a1', owner: 'g1', token: 1, ttlMs: 1_000 };
    await expect(table.leases.renew([asked])).rejects.toThrow('down');
  });

  it('explains a loss by who holds it now', async () => {
    const { table, grant } = setup();
    const asked = { key: 'a1', owner: 'g1', token: 1 };
    expect(await table.leases.explainLoss(asked)).toEqual({ kind: 'expired' });
    await grant('w1');
    expect(await table.leases.explainLoss(asked)).toEqual({ kind: 'taken', holder: 'w1' });
    expect(await table.leases.explainLoss({ ...asked, owner: 'w1' })).toEqual({ kind: 'expired' });
    expect(await table.leases.explainLoss({ ...asked, key: 'a2' })).toEqual({ kind: 'expired' });
  });

  it('declares what it cannot do, and says so when asked', async () => {
    const { leases } = setup().table;
    const { line, shared, counted, several, fences, ...able } = leases.capabilities;
    for (const lacking of [line, shared, counted, several, fences]) {
      expect(lacking).toEqual({ no: expect.stringMatching(/\.$/) });
    }
    expect(able).toEqual({ durable: true, network: true });
    const unsupported = { code: 'unsupported' };
    const share = { weight: 1, capacity: 2 };
    await expect(leases.acquire({ ...request, share })).rejects.toMatchObject(unsupported);
    await expect(leases.list({ limit: 1 })).rejects.toMatchObject(unsupported);
    await expect(leases.acquireAll({ keys: ['a1'], owner: 'g1', ttlMs: 1_000 })).rejects.toMatchObject(unsupported);
    const broken = leases.breakLease({ key: 'a1', reason: 'r', by: 'b', acceptMs: 1 });
    await expect(broken).rejects.toMatchObject(unsupported);
    await expect(leases.claim({ resource: 'r', token: 1 })).rejects.toMatchObject(unsupported);
    await expect(leases.subscribe('p', () => undefined)).rejects.toMatchObject(unsupported);
    await leases.close();
  });
});
