import { createSign, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeaseError } from '../core/errors.ts';
import type { SqlDatabase } from '../core/ports.ts';
import { migrate } from '../engine/migrate.ts';
import { memoryStore } from '../stores/memory/index.ts';
import { pgliteDatabase } from '../stores/pglite/index.ts';
import {
  type AnalysisOutcome,
  type AnalysisRepo,
  analysisMigrations,
  createAnalysisWorker,
  sqlAnalysisRepo,
} from '../systems/analysis/index.ts';
import { apiToken } from './authenticate.ts';
import { internalToken } from './authenticate-internal.ts';
import type { AnalysisServices } from './call.ts';
import { createServerApp, type ServerAppOptions } from './create-server-app.ts';
import { googleIdentity } from './google-identity.ts';

const path = '/internal/tasks/analysis';
const secret = 'i'.repeat(64);
const adminSecret = 'a'.repeat(64);

describe('POST /internal/tasks/analysis', () => {
  let database: SqlDatabase;
  let repo: AnalysisRepo;
  let id = '';
  let ids = 0;
  beforeAll(async () => {
    database = pgliteDatabase({ dir: 'memory' });
    await migrate(database, [analysisMigrations]);
    repo = sqlAnalysisRepo({ database });
  });
  beforeEach(async () => {
    id = `a-${++ids}`;
    await repo.createAnalysis(id);
  });
  afterAll(() => database.close());

  const appOf = (analysis: Partial<AnalysisServices> = {}, options: Partial<ServerAppOptions> = {}) =>
    createServerApp({
      store: memoryStore(),
      tokens: [apiToken({ name: 'admin', role: 'admin', secret: adminSecret })],
      internal: { tokenSha256: internalToken(secret) },
      systems: { analysis: { worker: createAnalysisWorker({ repo, analyze: () => 'found' }), ...analysis } },
      ...options,
    });
  const post = (
    app: ReturnType<typeof appOf>,
    body: unknown,
    headers: Record<string, string> = { authorization: `Bearer ${secret}` },
  ) =>
    app.fetch(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  const answering = (outcome: AnalysisOutcome) => ({ worker: { handle: async () => outcome, close: async () => {} } });

  it('200 when it was done, and when it was done before', async () => {
    const app = appOf();
    const first = await post(app, { analysis_id: id });
    expect([first.status, await first.json()]).toEqual([200, { outcome: 'done' }]);
    const again = await post(app, { analysisId: id });
    expect([again.status, await again.json()]).toEqual([200, { outcome: 'skipped', reason: 'already_finished' }]);
    expect(await repo.readAnalysis(id)).toMatchObject({ status: 'READY', result: 'found' });
  });

  it('200 when it failed and that is stored; the reason stays inside', async () => {
    const worker = createAnalysisWorker({
      repo,
      analyze() {
        throw new Error('password 123');
      },
    });
    const reply = await post(appOf({ worker }), { analysis_id: id });
    expect([reply.status, await reply.json()]).toEqual([200, { outcome: 'failed' }]);
    expect(await repo.readAnalysis(id)).toMatchObject({ status: 'FAILED' });
  });

  it('409 with Retry-After while it is locked: the rest of the lock', async () => {
    await repo.acquireAnalysisLock(id, 'somebody', 90);
    const reply = await post(appOf(), { analysis_id: id });
    expect(reply.status).toBe(409);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(80);
    expect(Number(reply.headers.get('retry-after'))).toBeLessThan(92);
    expect(await reply.json()).toMatchObject({ code: 'held', outcome: 'skipped', reason: 'locked' });
  });

  it('409 with Retry-After when the lock was lost on the way', async () => {
    const reply = await post(appOf(answering({ outcome: 'lost', reason: 'taken', retryAfterMs: 4_200 })), {
      analysis_id: id,
    });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([409, '5']);
    expect(await reply.json()).toMatchObject({ code: 'lost', outcome: 'lost' });
  });

  it('200 for both with onLocked: skip, as the note has it', async () => {
    await repo.acquireAnalysisLock(id, 'somebody', 90);
    const locked = await post(appOf({ onLocked: 'skip' }), { analysis_id: id });
    expect([locked.status, await locked.json()]).toEqual([200, { outcome: 'skipped', reason: 'locked' }]);
    const lost = await post(appOf({ ...answering({ outcome: 'lost', reason: 'taken' }), onLocked: 'skip' }), {
      analysis_id: id,
    });
    expect([lost.status, await lost.json()]).toEqual([200, { outcome: 'lost', reason: 'taken' }]);
  });

  it('404 for an unknown id, 400 for a body that is not understood', async () => {
    expect((await post(appOf(), { analysis_id: 'nowhere' })).status).toBe(404);
    for (const body of ['{', '[]', '{}', { analysis_id: 7 }, { analysis_id: '' }, { analysis_id: 'a\u0000b' }]) {
      expect((await post(appOf(), body)).status, JSON.stringify(body)).toBe(400);
    }
  });

  it('503 with Retry-After when the store cannot be reached', async () => {
    const worker = {
      handle: () => Promise.reject(new LeaseError('down', { code: 'store-unavailable', retryable: true })),
      close: async () => {},
    };
    const reply = await post(appOf({ worker }), { analysis_id: id });
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('1');
  });

  it('401 without the internal token or with another one, also that of an administrator', async () => {
    const app = appOf();
    for (const authorization of ['', 'Bearer wrong', `Bearer ${adminSecret}`, `Basic ${secret}`]) {
      const reply = await post(app, { analysis_id: id }, { authorization });
      expect(reply.status, authorization).toBe(401);
    }
    // The body is not looked at before.
    expect((await post(app, '{', {})).status).toBe(401);
    expect((await post(appOf({}, { internal: {} }), { analysis_id: id })).status).toBe(401);
    expect((await repo.readAnalysis(id))?.status).toBe('PENDING');
    // And it opens nothing else.
    const leases = new Request('http://localhost/api/v1/leases', { headers: { authorization: `Bearer ${secret}` } });
    expect((await app.fetch(leases)).status).toBe(401);
  });

  it('404 where the server has no worker', async () => {
    const app = createServerApp({ store: memoryStore(), tokens: [], internal: { tokenSha256: internalToken(secret) } });
    expect((await post(app, { analysis_id: id })).status).toBe(404);
  });

  it('takes the identity of a service account that Google has signed, and no other', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    let fetched = 0;
    const verifyIdentity = googleIdentity({
      audience: 'https://worker.example.org',
      email: 'tasks@p.iam.gserviceaccount.com',
      async fetchKeys() {
        fetched += 1;
        return [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }];
      },
    });
    const nowSec = Math.floor(Date.now() / 1000);
    const claims = {
      iss: 'https://accounts.google.com',
      aud: 'https://worker.example.org',
      email: 'tasks@p.iam.gserviceaccount.com',
      email_verified: true,
      iat: nowSec,
      exp: nowSec + 3_600,
    };
    const sign = (changes: object = {}, header: object = {}, key = privateKey): string => {
      const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
      const text = `${encode({ alg: 'RS256', kid: 'k1', ...header })}.${encode({ ...claims, ...changes })}`;
      return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
    };
    const app = appOf({}, { internal: { verifyIdentity } });
    const status = async (token: string): Promise<number> =>
      (await post(app, { analysis_id: id }, { authorization: `Bearer ${token}` })).status;
    expect(await status(sign())).toBe(200);
    const bad = {
      'another key': sign({}, {}, stranger),
      'another audience': sign({ aud: 'https://elsewhere.example.org' }),
      'another account': sign({ email: 'other@p.iam.gserviceaccount.com' }),
      'an account that is not verified': sign({ email_verified: false }),
      'another issuer': sign({ iss: 'https://example.org' }),
      'a time that is over': sign({ exp: nowSec - 120 }),
      'a time to come': sign({ iat: nowSec + 600 }),
      'no signature': `${sign().split('.').slice(0, 2).join('.')}.`,
      'no algorithm': sign({}, { alg: 'none' }),
      'an unknown key': sign({}, { kid: 'k2' }),
      'no token at all': 'x.y',
    };
    for (const [what, token] of Object.entries(bad)) expect(await status(token), what).toBe(401);
    expect(fetched, 'unknown keys do not make us ask each time').toBe(1);
  });
});
