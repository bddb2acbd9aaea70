import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FirestoreServer, startFirestore } from '../../../../test/servers/firestore-server.ts';
import { parseIsoTime } from '../../../platform/parse-iso-time.ts';
import { firestoreAnalysisRepo } from './firestore-analysis-repo.ts';

/** What all repos promise is in test/conformance; here is what is Firestore's own. */
describe('analyses in Firestore', () => {
  let server: FirestoreServer | undefined;
  let firestore: Firestore;
  let missing = '';
  beforeAll(async () => {
    try {
      server = await startFirestore();
      firestore = server.openClient();
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('is not installed'))) throw error;
      missing = error.message;
    }
  });
  beforeEach(({ skip }) => skip(missing !== '', missing));
  afterAll(async () => {
    if (server) await firestore.terminate();
    await server?.stop();
  });

  it('writes the fields of the note and leaves other fields alone', async () => {
    const document = firestore.collection('analyses').doc('a');
    await document.set({ status: 'PROCESSING', title: 'mine', nested: { kept: true } });
    const repo = firestoreAnalysisRepo({ firestore, commandTimeoutMs: 30_000 });
    const reply = await repo.acquireAnalysisLock('a', 'worker-1');
    if (!reply.acquired) throw new Error(reply.reason);
    const locked = (await document.get()).data();
    const { lockExpiresAt, lockHeartbeatAt } = locked ?? {};
    expect(locked).toEqual({
      status: 'PROCESSING',
      title: 'mine',
      nested: { kept: true },
      lockOwner: 'worker-1',
      lockExpiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lockHeartbeatAt: expect.stringMatching(/Z$/),
      lockToken: reply.token,
    });
    expect(Math.round((Date.parse(lockExpiresAt) - Date.parse(lockHeartbeatAt)) / 1000)).toBe(300);
    await repo.refreshAnalysisLock('a', 'worker-1', 600);
    expect(Date.parse((await document.get()).get('lockExpiresAt'))).toBeGreaterThan(Date.parse(lockExpiresAt));
    const finish = {
      analysisId: 'a',
      lockOwner: 'worker-1',
      token: reply.token,
      status: 'READY',
      result: [1],
    } as const;
    expect(await repo.finishAnalysis(finish)).toBe(true);
    expect((await document.get()).data()).toMatchObject({
      status: 'READY',
      title: 'mine',
      result: [1],
      resultToken: reply.token,
      finishedAt: expect.stringMatching(/Z$/),
      lockOwner: null,
      lockExpiresAt: null,
      lockHeartbeatAt: null,
      lockToken: reply.token,
    });
  });

  it('a server that stands still is an error that says so, and ids that cannot name a document are refused', async () => {
    const repo = firestoreAnalysisRepo({ firestore, commandTimeoutMs: 300 });
    server?.pause();
    try {
      await expect(repo.acquireAnalysisLock('a', 'b')).rejects.toMatchObject({
        code: 'store-unavailable',
        retryable: true,
      });
    } finally {
      server?.resume();
    }
    for (const id of ['a/b', '..', '__x__']) {
      await expect(repo.acquireAnalysisLock(id, 'b'), id).rejects.toMatchObject({ code: 'invalid-argument' });
    }
  });

  it('reads ISO 8601 with a zone, and nothing else', () => {
    expect(parseIsoTime('2026-01-02T03:04:05.678Z')).toBe(1_767_323_045_678);
    expect(parseIsoTime('2026-01-02T12:04:05+09:00')).toBe(1_767_323_045_000);
    for (const text of ['', 'soon', '2026-01-02', '2026-01-02T03:04:05', '2026-13-02T03:04:05Z', 7, null, undefined]) {
      expect(parseIsoTime(text), String(text)).toBeUndefined();
    }
  });
});
