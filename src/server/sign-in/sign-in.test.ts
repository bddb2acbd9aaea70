import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { SqlDatabase } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { memoryStore } from '../../stores/memory/index.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { apiToken } from '../authenticate.ts';
import { createServerApp, type ServerApp } from '../create-server-app.ts';
import { createSignIn, type SignIn } from './create-sign-in.ts';
import { readSession, signSession } from './session-cookie.ts';
import { signInMigrations } from './sign-in-migrations.ts';

const secret = 'a'.repeat(40);
const ownPage = { origin: 'http://test', host: 'test', 'content-type': 'application/json' };

describe('sign-in', () => {
  let database: SqlDatabase;
  let signIn: SignIn;
  let app: ServerApp;

  beforeAll(async () => {
    database = pgliteDatabase({ dir: 'memory' });
    await migrate(database, [signInMigrations]);
    signIn = await createSignIn({ database });
    app = createServerApp({
      store: memoryStore(),
      tokens: [apiToken({ name: 'root', role: 'admin', secret })],
      systems: { signIn },
    });
  });
  afterAll(() => database.close());

  const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    app.fetch(new Request(`http://test${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
  const signedIn = async (role: 'viewer' | 'operator') => {
    const response = await ask('POST', '/api/v1/session', ownPage, { code: await signIn.createCode('ada', role) });
    expect(response.status).toBe(200);
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    return cookie.split(';')[0] ?? '';
  };

  it('lets a browser in by a link that an admin made, once', async () => {
    const made = await ask(
      'POST',
      '/api/v1/sign-in-codes',
      { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      { name: 'ada', role: 'viewer' },
    );
    const { path } = (await made.json()) as { path: string };
    const code = path.split('code=')[1];
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ask('POST', '/api/v1/session', ownPage, { code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    const { rows } = await database.query({ text: 'select sha256 from kannuki.sign_in_codes' });
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  it('gives the session the role of its link and no more', async () => {
    const cookie = await signedIn('viewer');
    const session = await ask('GET', '/api/v1/session', { cookie });
    expect(await session.json()).toMatchObject({ name: 'ada', role: 'viewer' });
    const acted = await ask('POST', '/api/v1/leases/break', { ...ownPage, cookie }, { key: 'k', reason: 'r' });
    expect(acted.status).toBe(403);
  });

  it('lets a session act from our own pages only', async () => {
    const cookie = await signedIn('operator');
    const acquire = (headers: Record<string, string>) =>
      ask(
        'POST',
        '/api/v1/leases/acquire',
        { 'content-type': 'application/json', cookie, ...headers },
        { key: 'k', ttlMs: 30_000 },
      );
    expect((await acquire({ origin: 'https://evil.example', host: 'test' })).status).toBe(403);
    expect((await acquire({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await acquire({})).status).toBe(403);
    expect((await acquire({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('refuses a code that is over, or sent from another page', async () => {
    const brief = await createSignIn({ database, codeMs: 0 });
    const over = await ask('POST', '/api/v1/session', ownPage, { code: await brief.createCode('ada', 'admin') });
    expect(over.status).toBe(401);
    const elsewhere = await ask(
      'POST',
      '/api/v1/session',
      { 'content-type': 'application/json', origin: 'https://evil.example' },
      { code: await signIn.createCode('ada', 'admin') },
    );
    expect(elsewhere.status).toBe(403);
  });

  it('shares its secret with every server of the database', async () => {
    const cookie = await signedIn('operator');
    const second = await createSignIn({ database });
    expect(second.callerOf(new Request('http://test/', { headers: { cookie } }))).toMatchObject({ role: 'operator' });
  });

  it('ends on the clock, and on sign-out', async () => {
    const cookie = await signedIn('viewer');
    const tomorrow = { ...platform.clock, wallMs: () => platform.clock.wallMs() + 86_400_000 };
    const later = await createSignIn({ database, clock: tomorrow });
    expect(later.callerOf(new Request('http://test/', { headers: { cookie } }))).toBeUndefined();
    const ended = await ask('POST', '/api/v1/session/end', { ...ownPage, cookie });
    expect(ended.headers.get('set-cookie')).toContain('Max-Age=0');
  });

  it('takes no cookie that was changed, in any character', () => {
    const value = signSession({ name: 'ada', role: 'viewer', endsMs: 2_000 }, secret);
    expect(readSession(`other=1; kannuki_session=${value}`, secret, 1_000)).toMatchObject({ name: 'ada' });
    expect(readSession(`kannuki_session=${value}`, 'b'.repeat(40), 1_000)).toBeUndefined();
    const decoded = (text: string) => Buffer.from(text, 'base64url').toString('hex');
    for (let i = 0; i < value.length; i++) {
      const changed = `${value.slice(0, i)}${value[i] === 'A' ? 'B' : 'A'}${value.slice(i + 1)}`;
      // The last character of base64url has spare bits: another spelling of the same signature is no forgery.
      if (changed.split('.').map(decoded).join() === value.split('.').map(decoded).join()) continue;
      expect(readSession(`kannuki_session=${changed}`, secret, 1_000)).toBeUndefined();
    }
    for (const header of [
      null,
      '',
      'kannuki_session',
      'kannuki_session=',
      'kannuki_session=.',
      'kannuki_session=a.b.c',
    ])
      expect(readSession(header, secret, 1_000)).toBeUndefined();
  });
});
