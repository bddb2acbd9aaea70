/** Every repo of analyses keeps the same promises, on the real thing. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { createLeases } from '../../src/engine/lease-keeper.ts';
import { isoTime } from '../../src/platform/iso-time.ts';
import { createServerApp, internalToken } from '../../src/server/index.ts';
import { memoryStore } from '../../src/stores/memory/index.ts';
import { type AnalysisEvent, type AnalysisRepo, createAnalysisWorker } from '../../src/systems/analysis/index.ts';
import { type AnalysisBackend, analysisBackends, openAnalysisBackend } from '../servers/analysis-backends.ts';
import { reportComponent } from '../servers/report-component.ts';

const ttlSec = 0.5;

describe.each(analysisBackends)('analyses in %s', (kind) => {
  let backend: AnalysisBackend;
  let missing = '';
  let repo: AnalysisRepo;
  let other: AnalysisRepo;
  let events: AnalysisEvent[] = [];
  const warnings: string[] = [];
  const logger = { debug() {}, info() {}, warn: (message: string) => void warnings.push(message), error() {} };
  let ids = 0;

  beforeAll(async () => {
    const found = await openAnalysisBackend(kind);
    const component = `analyses in ${kind}`;
    if (typeof found === 'string') {
      missing = found;
      reportComponent({ component, status: 'skipped', reason: found, avoidable: false });
      return;
    }
    backend = found;
    reportComponent({ component, status: 'took part' });
    repo = backend.openRepo({ logger, onEvent: (event) => events.push(event) });
    other = backend.openRepo({ logger, onEvent: (event) => events.push(event) });
  });
  beforeEach(({ skip }) => {
    skip(missing !== '', missing);
    events = [];
    warnings.length = 0;
  });
  afterAll(async () => {
    if (missing === '') await backend.close();
  });

  const create = async (): Promise<string> => {
    const id = `analysis-${++ids}`;
    await repo.createAnalysis(id, { page: ids });
    return id;
  };
  const lock = async (id: string, owner: string, from = repo): Promise<number> => {
    const reply = await from.acquireAnalysisLock(id, owner, 60);
    if (!reply.acquired) throw new Error(`${id}: ${reply.reason}`);
    return reply.token;
  };
  /** Only time ends a lock. */
  const outlive = (seconds: number): Promise<void> =>
    new Promise((resolve) => setTimeout(resolve, seconds * 1000 + 20));

  describe('the five that the note asks for', () => {
    it('the first to ask gets the lock', async () => {
      const id = await create();
      expect(await repo.acquireAnalysisLock(id, 'a')).toMatchObject({ acquired: true, token: expect.any(Number) });
      const analysis = await repo.readAnalysis(id);
      expect(analysis).toMatchObject({ status: 'PENDING', lockOwner: 'a', input: { page: ids } });
      const leftMs =
        new Date(analysis?.lockExpiresAt ?? '').getTime() - new Date(analysis?.lockHeartbeatAt ?? '').getTime();
      expect(Math.round(leftMs / 1000)).toBe(300);
    });

    it('of two at once one gets it', async () => {
      const id = await create();
      const replies = await Promise.all([repo.acquireAnalysisLock(id, 'a'), other.acquireAnalysisLock(id, 'b')]);
      expect(replies.filter(({ acquired }) => acquired)).toHaveLength(1);
      const refused = replies.find(({ acquired }) => !acquired);
      expect(refused).toMatchObject({ reason: 'locked' });
    });

    it('after its TTL it can be had again, and an event names the former owner', async () => {
      const id = await create();
      const first = await repo.acquireAnalysisLock(id, 'a', ttlSec);
      await outlive(ttlSec);
      const second = await other.acquireAnalysisLock(id, 'b', 60);
      if (!first.acquired || !second.acquired) throw new Error('not acquired');
      expect(second.takenOverFrom).toBe('a');
      expect(second.token).toBeGreaterThan(first.token);
      expect(events).toEqual([{ type: 'taken-over', analysisId: id, from: 'a', by: 'b', token: second.token }]);
    });

    it('READY and FAILED are never locked', async () => {
      for (const status of ['READY', 'FAILED'] as const) {
        const id = await create();
        await backend.setStatus(id, status);
        expect(await repo.acquireAnalysisLock(id, 'a')).toEqual({ acquired: false, reason: 'already_finished' });
        expect(await repo.readAnalysis(id)).toMatchObject({ status, lockToken: 0 });
      }
    });

    it('a release by another owner keeps the lock', async () => {
      const id = await create();
      const token = await lock(id, 'a');
      await other.releaseAnalysisLock(id, 'b', { token });
      await other.releaseAnalysisLock(id, 'a', { token: token - 1 });
      expect(await other.acquireAnalysisLock(id, 'b')).toMatchObject({ acquired: false, reason: 'locked' });
      await repo.releaseAnalysisLock(id, 'a');
      expect(await other.acquireAnalysisLock(id, 'b')).toMatchObject({ acquired: true });
      expect(events).toEqual([]);
    });
  });

  it('of fifty at once one gets it', { timeout: 60_000 }, async () => {
    const id = await create();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? repo : other).acquireAnalysisLock(id, `owner ${i}`)),
    );
    expect(replies.filter(({ acquired }) => acquired)).toHaveLength(1);
    expect(replies.filter(({ reason }) => reason === 'locked')).toHaveLength(49);
  });

  it('a missing one is an error, not a skip', async () => {
    await expect(repo.acquireAnalysisLock('nowhere', 'a')).rejects.toMatchObject({
      name: 'AnalysisError',
      code: 'not-found',
      analysisId: 'nowhere',
    });
    expect(await repo.readAnalysis('nowhere')).toBeUndefined();
  });

  it('a lock that ends at an unreadable time is live while its owner was heard of lately, and it is logged', async () => {
    const id = await create();
    await lock(id, 'a');
    await backend.malformLock(id, isoTime(platform.clock.wallMs() - 2_000));
    expect(await other.acquireAnalysisLock(id, 'b', 60)).toMatchObject({ acquired: false, reason: 'locked' });
    expect(warnings).toEqual(['the end of an analysis lock cannot be read']);
    expect(events).toEqual([{ type: 'malformed-lock', analysisId: id, owner: 'a', expired: false }]);
    // Nothing was heard of it for longer than the TTL, or never: then it is over.
    expect(await other.acquireAnalysisLock(id, 'b', 1)).toMatchObject({ acquired: true, takenOverFrom: 'a' });
    await backend.malformLock(id, null);
    expect(await repo.acquireAnalysisLock(id, 'c', 60)).toMatchObject({ acquired: true, takenOverFrom: 'b' });
  });

  it('the same name again is locked out while it lives, unless it shows its token', async () => {
    const id = await create();
    const token = await lock(id, 'a');
    expect(await other.acquireAnalysisLock(id, 'a', 60)).toMatchObject({ acquired: false, reason: 'locked' });
    expect(await other.acquireAnalysisLock(id, 'a', 60, { token: token - 1 })).toMatchObject({ acquired: false });
    expect(await other.acquireAnalysisLock(id, 'a', 60, { token })).toEqual({ acquired: true, token });
  });

  it('the same name after the TTL is a new grant, and the old one cannot refresh', async () => {
    const id = await create();
    const first = await repo.acquireAnalysisLock(id, 'a', ttlSec);
    await outlive(ttlSec);
    const second = await lock(id, 'a', other);
    expect(first.acquired && second > first.token).toBe(true);
    await expect(repo.refreshAnalysisLock(id, 'a', 60)).rejects.toMatchObject({ code: 'lease-lost' });
    await repo.releaseAnalysisLock(id, 'a', { token: first.acquired ? first.token : 0 });
    expect(await repo.readAnalysis(id)).toMatchObject({ lockOwner: 'a', lockToken: second });
  });

  it('a refresh extends the lock, never shortens it, and never revives it', async () => {
    const id = await create();
    await repo.acquireAnalysisLock(id, 'a', ttlSec);
    await repo.refreshAnalysisLock(id, 'a', 60);
    const longMs = new Date((await repo.readAnalysis(id))?.lockExpiresAt ?? '').getTime();
    await repo.refreshAnalysisLock(id, 'a', 1);
    expect(new Date((await repo.readAnalysis(id))?.lockExpiresAt ?? '').getTime()).toBe(longMs);
    const gone = await create();
    await repo.acquireAnalysisLock(gone, 'a', ttlSec);
    await outlive(ttlSec);
    await expect(repo.refreshAnalysisLock(gone, 'a', 60)).rejects.toMatchObject({ code: 'lease-lost' });
    await expect(other.refreshAnalysisLock(id, 'stranger', 60)).rejects.toMatchObject({ code: 'lease-lost' });
  });

  it('a result is written with the lock cleared, once, by whoever holds it', async () => {
    const id = await create();
    const old = await lock(id, 'a');
    await repo.releaseAnalysisLock(id, 'a');
    const token = await lock(id, 'b', other);
    expect(token).toBeGreaterThan(old);
    const finish = { analysisId: id, lockOwner: 'b', token, status: 'READY', result: { score: 0.5 } } as const;
    expect(await repo.finishAnalysis({ ...finish, lockOwner: 'a', token: old })).toBe(false);
    expect(await repo.finishAnalysis({ ...finish, token: old })).toBe(false);
    expect(await repo.finishAnalysis({ ...finish, lockOwner: 'a' })).toBe(false);
    expect(await other.finishAnalysis(finish)).toBe(true);
    // Its answer was lost, so it is sent again.
    expect(await other.finishAnalysis(finish)).toBe(true);
    expect(await repo.finishAnalysis({ ...finish, lockOwner: 'a', token: old, result: 'late' })).toBe(false);
    const analysis = await repo.readAnalysis(id);
    expect(analysis).toMatchObject({ status: 'READY', result: { score: 0.5 }, resultToken: token, lockToken: token });
    expect(analysis?.lockOwner).toBeUndefined();
    await expect(repo.refreshAnalysisLock(id, 'b', 60, { token })).rejects.toMatchObject({ code: 'lease-lost' });
    expect(await repo.acquireAnalysisLock(id, 'c')).toEqual({ acquired: false, reason: 'already_finished' });
  });

  it('a failure is a result too', async () => {
    const id = await create();
    const token = await lock(id, 'a');
    expect(
      await repo.finishAnalysis({ analysisId: id, lockOwner: 'a', token, status: 'FAILED', error: 'no page' }),
    ).toBe(true);
    expect(await repo.readAnalysis(id)).toMatchObject({ status: 'FAILED', error: 'no page' });
  });

  it('is a lease store to the keeper: the same lock, refreshed and given back', async () => {
    const id = await create();
    const leases = createLeases({ store: repo.leases, ttlMs: 1_000, name: 'keeper' });
    const outcome = await leases.tryAcquire(id);
    if (!outcome.acquired) throw new Error(outcome.reason);
    expect(await other.acquireAnalysisLock(id, 'b', 60)).toMatchObject({ acquired: false, reason: 'locked' });
    expect(await repo.readAnalysis(id)).toMatchObject({
      lockToken: outcome.lease.token,
      lockOwner: outcome.lease.owner,
    });
    expect(await outcome.lease.renew()).toBe(true);
    expect(await outcome.lease.release()).toBe(true);
    expect(await other.acquireAnalysisLock(id, 'b', 60)).toMatchObject({ acquired: true });
    // Missing and finished ones are refused without a holder.
    expect(await leases.tryAcquire('nowhere')).toEqual({ acquired: false, reason: 'held' });
    await leases.close();
  });

  it('a store that stands still is an error, and the endpoint answers 503', { timeout: 150_000 }, async ({ skip }) => {
    skip(kind === 'PGlite', 'PGlite runs in this process; it cannot stand still alone.');
    const id = await create();
    const worker = createAnalysisWorker({ repo: backend.openRepo({ timeoutMs: 500 }), analyze: () => 'found' });
    const app = createServerApp({
      store: memoryStore(),
      tokens: [],
      internal: { tokenSha256: internalToken('secret') },
      systems: { analysis: { worker } },
    });
    const call = (): Promise<Response> =>
      app.fetch(
        new Request('http://localhost/internal/tasks/analysis', {
          method: 'POST',
          headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
          body: JSON.stringify({ analysis_id: id }),
        }),
      );
    await backend.pause();
    try {
      const reply = await call();
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1']);
    } finally {
      await backend.resume();
    }
    // What was sent meanwhile may have taken effect, and is then given back; either way it gets done.
    for (let status = 0; status !== 200; { status } = await call()) {
      expect([0, 409, 503]).toContain(status);
      await outlive(0.1);
    }
    expect(await repo.readAnalysis(id)).toMatchObject({ status: 'READY' });
    await worker.close();
  });

  it('there is one analysis of an id, and ids are checked', async () => {
    const id = await create();
    await expect(repo.createAnalysis(id)).rejects.toMatchObject({ code: 'already-exists' });
    await expect(repo.acquireAnalysisLock('', 'a')).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(repo.acquireAnalysisLock(id, '')).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(repo.acquireAnalysisLock(id, 'a', 0)).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});
