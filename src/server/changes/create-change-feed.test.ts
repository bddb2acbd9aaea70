import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { pgliteDatabase, pgliteStore } from '../../stores/pglite/index.ts';
import { jobMigrations } from '../../systems/jobs/index.ts';
import { reservationMigrations } from '../../systems/reservations/index.ts';
import { telemetryMigrations } from '../../systems/telemetry/index.ts';
import { apiToken } from '../authenticate.ts';
import { createServerApp, type ServerApp } from '../create-server-app.ts';
import { changeMigrationsFor } from './change-migrations-for.ts';
import { type ChangeFeed, createChangeFeed } from './create-change-feed.ts';
import { everything, mergeChanges } from './event-text.ts';
import { formatResumeId, parseResumeId } from './resume-id.ts';
import { createUnreadMessages } from './unread-messages.ts';

const secret = 's'.repeat(64);
let database: SqlDatabase;
let feed: ChangeFeed;
let app: ServerApp;

beforeAll(async () => {
  database = pgliteDatabase({ dir: 'memory' });
  const store = pgliteStore({ database });
  const sets = [...(store.schema?.migrations ?? []), jobMigrations, telemetryMigrations, reservationMigrations];
  await migrate(database, [...sets, ...changeMigrationsFor(sets)]);
  feed = createChangeFeed({ database, pollMs: 20, aliveMs: 60 });
  app = createServerApp({
    store,
    tokens: [apiToken({ name: 'eye', role: 'viewer', secret })],
    systems: { changes: feed },
  });
});
afterAll(async () => {
  app?.stop();
  await feed?.close();
  await database?.close();
});

interface Heard {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** One client: reads until it heard what it waits for. */
async function listen(headers: Record<string, string> = {}, of: ServerApp = app) {
  const hangUp = new AbortController();
  const response = await of.fetch(
    new Request('http://test/api/v1/stream', {
      headers: { authorization: `Bearer ${secret}`, ...headers },
      signal: hangUp.signal,
    }),
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const heard: Heard[] = [];
  let text = '';
  let lastId = '';
  const read = async (): Promise<boolean> => {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    text += value ?? '';
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(
        text
          .slice(0, end)
          .split('\n')
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
      );
      text = text.slice(end + 2);
      lastId = fields.get('id') ?? lastId;
      if (fields.has('event'))
        heard.push({ id: lastId, event: fields.get('event') ?? '', data: fields.get('data') ?? '' });
    }
    return !done;
  };
  return {
    status: response.status,
    heard,
    lastId: () => lastId,
    read,
    async until(found: (message: Heard) => boolean) {
      while (!heard.some(found)) if (!(await read())) throw new Error('the stream ended');
    },
    async hangUp() {
      hangUp.abort();
      await reader?.cancel().catch(() => undefined);
    },
  };
}

const about = (topic: string, id: string) => (message: Heard) => message.data === JSON.stringify({ topic, id });
const isReset = (message: Heard) => message.event === 'reset';

async function setSetting(key: string, on: Pick<SqlDatabase, 'query'> = database): Promise<void> {
  await on.query({
    text: `insert into kannuki.settings (key, value, updated_by) values ($1, '1', 'test')
           on conflict (key) do update set value = '2'`,
    values: [key],
  });
}

describe('the change stream', () => {
  it('begins with a reset and tells of rows of every system', async () => {
    const client = await listen();
    await client.until(isReset);
    await database.query({
      text: `insert into kannuki.leases (key, token, owner, expires_at) values ('door', 1, 'a', now())`,
    });
    await setSetting('first');
    await database.query({
      text: `insert into kannuki.audit (actor, action, target) values ('me', 'act', 'it')`,
    });
    await database.query({
      text: `insert into kannuki.alerts (rule, subject, level, opened_at) values ('r', 's', 'warning', now())`,
    });
    await database.query({
      text: `insert into kannuki.rollouts values ('autosave', 'A-0', '{}', 1, now())`,
    });
    await client.until(about('leases', 'door'));
    await client.until(about('settings', 'first'));
    await client.until(about('flags', 'autosave'));
    await client.until(({ data }) => data.startsWith('{"topic":"audit"'));
    await client.until(({ data }) => data.startsWith('{"topic":"alerts"'));
    await client.hangUp();
  });

  it('says nothing of a renewal, and one word for very many rows', async () => {
    const client = await listen();
    await client.until(isReset);
    await database.query({
      text: `update kannuki.leases set expires_at = now() + interval '1 hour' where key = 'door'`,
    });
    await database.query({
      text: `insert into kannuki.settings (key, value, updated_by) select 'many-' || n, '1', 'test' from generate_series(1, 101) n`,
    });
    await client.until(about('settings', '*'));
    expect(client.heard.filter(about('leases', 'door'))).toEqual([]);
    expect(client.heard.length).toBeLessThan(5);
    await client.hangUp();
  });

  it('goes on where a client was cut off, on another server, without a reset', async () => {
    const first = await listen();
    await first.until(isReset);
    await setSetting('before');
    await first.until(about('settings', 'before'));
    const cutAt = first.lastId();
    await first.hangUp();
    await setSetting('between');
    const elsewhere = createChangeFeed({ database, pollMs: 20 });
    const other = createServerApp({
      store: pgliteStore({ database }),
      tokens: [apiToken({ name: 'eye', role: 'viewer', secret })],
      systems: { changes: elsewhere },
    });
    const second = await listen({ 'last-event-id': cutAt }, other);
    await second.until(about('settings', 'between'));
    await setSetting('after');
    await second.until(about('settings', 'after'));
    expect(second.heard.filter(isReset)).toEqual([]);
    expect(second.heard.filter(about('settings', 'before'))).toEqual([]);
    await second.hangUp();
    await elsewhere.close();
  });

  it('resets a client whose place is not ours, is older than what is kept, or is from an unwatched time', async () => {
    const watching = await listen();
    await watching.until(isReset);
    const place = watching.lastId();
    for (const id of ['nonsense', `${'0'.repeat(16)}-1-1-`, place.replace(/^.{4}/, 'ffff')]) {
      const client = await listen({ 'last-event-id': id });
      await client.until(isReset);
      await client.hangUp();
    }
    await setSetting('kept');
    await watching.until(about('settings', 'kept'));
    await database.query({ text: 'update kannuki.change_watch set pruned = pg_current_snapshot()' });
    const late = await listen({ 'last-event-id': place });
    await late.until(isReset);
    await late.hangUp();
    // Nobody prolonged the watch: everybody loads anew.
    watching.heard.length = 0;
    await database.query({ text: `update kannuki.change_watch set watched_until = now(), records_until = now()` });
    await watching.until(isReset);
    await watching.hangUp();
  });

  it('keeps the place of an idle client young, and forgets changes that are old', async () => {
    const short = createChangeFeed({ database, pollMs: 10, aliveMs: 50, resumeMs: 1_500 });
    const other = createServerApp({
      store: pgliteStore({ database }),
      tokens: [apiToken({ name: 'eye', role: 'viewer', secret })],
      systems: { changes: short },
    });
    const client = await listen({}, other);
    await client.until(isReset);
    await setSetting('old');
    await client.until(about('settings', 'old'));
    for (;;) {
      await client.read();
      const { rows } = await database.query<{ n: number }>({ text: 'select count(*)::int as n from kannuki.changes' });
      if (rows[0]?.n === 0) break;
    }
    await setSetting('new');
    await client.until(about('settings', 'new'));
    expect(client.heard.filter(isReset)).toHaveLength(1);
    await client.hangUp();
    await short.close();
  });

  it('ends when the right of the caller has ended, when the caller hangs up and when the server stops', async () => {
    const tokens = [apiToken({ name: 'eye', role: 'viewer' as const, secret })];
    const own = createChangeFeed({ database, pollMs: 10, aliveMs: 20 });
    const other = createServerApp({ store: pgliteStore({ database }), tokens, systems: { changes: own } });
    const gone = await listen({}, other);
    await gone.until(isReset);
    await gone.hangUp();
    expect(own.size).toBe(0);
    const revoked = await listen({}, other);
    await revoked.until(isReset);
    const stopped = await listen({}, other);
    await stopped.until(isReset);
    const known = tokens.splice(0, 1);
    await expect(revoked.until(() => false)).rejects.toThrow('the stream ended');
    tokens.push(...known);
    const last = await listen({}, other);
    await last.until(isReset);
    other.stop();
    await expect(last.until(() => false)).rejects.toThrow('the stream ended');
    expect((await listen({}, other)).status).toBe(503);
    expect(own.size).toBe(0);
    await own.close();
  });

  it('is for viewers, as everything else', async () => {
    expect((await listen({ authorization: 'Bearer wrong' })).status).toBe(401);
  });
});

describe('what a client has not read', () => {
  const message = (kind: 'alive' | 'change' | 'reset', text: string) => ({
    kind,
    bytes: Buffer.from(text),
    instead: Buffer.from('RESET'),
  });

  it('is bounded: too much gives way to one reset', async () => {
    const unread = createUnreadMessages(10);
    for (const text of ['abcd', 'efgh']) unread.add(message('change', text));
    expect(String(await unread.take())).toBe('abcdefgh');
    for (const text of ['abcd', 'efgh', 'ijkl', 'mn']) unread.add(message('change', text));
    unread.add(message('alive', 'x'));
    expect(String(await unread.take())).toBe('RESETmn');
    unread.add(message('change', 'abc'));
    unread.add(message('reset', 'anew'));
    expect(String(await unread.take())).toBe('anew');
    const taking = unread.take();
    unread.close();
    expect(await taking).toBeUndefined();
  });
});

describe('a place in the stream', () => {
  it.each(['1:1:', '900:905:', '900:905:900,903', '4294967296000:4294967297000:4294967296000,4294967296999'])(
    'survives the way to the client and back: %s',
    (snapshot) => {
      const point = { incarnation: '0123456789abcdef', snapshot };
      expect(parseResumeId(formatResumeId(point))).toEqual(point);
    },
  );

  it('goes back to before all that are under way when they are too many', () => {
    const list = Array.from({ length: 101 }, (_, n) => 10 + n).join(',');
    expect(formatResumeId({ incarnation: 'a', snapshot: `10:200:${list}` })).toBe('a-10-10-');
  });

  it.each(['', 'x', 'g'.repeat(16), `${'a'.repeat(16)}-5-4-`, `${'a'.repeat(16)}-0-0-`, `${'a'.repeat(16)}-5-9-z`])(
    'is refused when it is not one: %j',
    (text) => {
      expect(parseResumeId(text)).toBeUndefined();
    },
  );
});

describe('changes of one read', () => {
  it('are told once each, and as a whole when they are many', () => {
    const rows = [
      { topic: 'runs', ids: ['1', '2'] },
      { topic: 'runs', ids: ['2'] },
      { topic: 'jobs', ids: null },
      { topic: 'jobs', ids: ['a'] },
      { topic: 'unheard-of', ids: ['a'] },
      { topic: 'leases', ids: Array.from({ length: 101 }, (_, n) => `${n}`) },
    ];
    expect(mergeChanges(rows)).toEqual([
      { topic: 'runs', id: '1' },
      { topic: 'runs', id: '2' },
      { topic: 'jobs', id: '*' },
      { topic: 'leases', id: '*' },
    ]);
    expect(everything()).toHaveLength(11);
  });
});
