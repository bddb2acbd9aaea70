/**
 * The change stream against transactions that end in another order than they began. A client hops between two servers
 * of one PostgreSQL and must hear every commit; reading in the order of ids, as one would at first, must be caught.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../src/core/ports.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { changeMigrationsFor, createChangeFeed } from '../../src/server/index.ts';
import { postgresDatabase, postgresStore } from '../../src/stores/postgres/index.ts';
import { jobMigrations } from '../../src/systems/jobs/index.ts';
import { seededRandom } from '../../src/testing/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';

let server: PostgresServer;
let database: SqlDatabase;

beforeAll(async () => {
  server = await startPostgres({ major: 18 });
  database = postgresDatabase({ connectionString: server.url, max: 24 });
  const sets = [...(postgresStore({ database }).schema?.migrations ?? []), jobMigrations];
  await migrate(database, [...sets, ...changeMigrationsFor(sets)]);
});
afterAll(async () => {
  await database?.close();
  await server?.stop();
});

const put = (key: string): { text: string; values: unknown[] } => ({
  text: `insert into kannuki.settings (key, value, updated_by) values ($1, '1', 'test')`,
  values: [key],
});

/** A transaction that has written and waits for the word to commit. */
async function writeAndHold(key: string): Promise<{ commit(): Promise<void> }> {
  let commit = (): void => {};
  let wrote = (): void => {};
  const word = new Promise<void>((resolve) => {
    commit = resolve;
  });
  const written = new Promise<void>((resolve) => {
    wrote = resolve;
  });
  const ended = database.transaction(async (tx) => {
    await tx.query(put(key));
    wrote();
    await word;
  });
  await written;
  return {
    async commit() {
      commit();
      await ended;
    },
  };
}

/** A client that remembers what it heard and where it is, over any number of connections. */
function createClient() {
  const heard: string[] = [];
  let resets = 0;
  let place: string | undefined;
  let onNews = (): void => {};
  return {
    heard,
    resets: () => resets,
    place: () => place,
    /** The first `most` events of a message; a connection can break anywhere. */
    take(bytes: Uint8Array, most = Number.POSITIVE_INFINITY) {
      for (const block of Buffer.from(bytes).toString().split('\n\n').slice(0, -1).slice(0, most)) {
        place = /^id: (.*)$/m.exec(block)?.[1] ?? place;
        const event = /^event: (.*)$/m.exec(block)?.[1];
        if (event === 'reset') resets += 1;
        if (event === 'change') heard.push((JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '{}') as { id: string }).id);
      }
      onNews();
    },
    async until(done: () => boolean) {
      while (!done()) {
        await new Promise<void>((resolve) => {
          onNews = resolve;
        });
      }
    },
  };
}

type Feed = ReturnType<typeof createChangeFeed>;

async function connect(feed: Feed, client: ReturnType<typeof createClient>): Promise<{ leave(): void }> {
  let open = true;
  const { leave } = await feed.join((message) => {
    if (open) client.take(message.bytes);
  }, client.place());
  return {
    leave() {
      open = false;
      leave();
    },
  };
}

/** Trusts the order of transaction numbers: what it saw last is the mark. */
const readByOrder = (schema: string): string => `
select pg_current_snapshot()::text as snapshot, w.incarnation, true as watched, true as settled, true as whole, c.topic, c.ids
from ${schema}.change_watch w left join lateral (
  select topic, ids from ${schema}.changes where xid >= pg_snapshot_xmax($1::text::pg_snapshot) order by xid limit $2::int
) c on true`;

describe('the change stream on PostgreSQL', () => {
  it('tells of a commit that others overtook, to a client that went to another server in between', async () => {
    const [one, two] = [createChangeFeed({ database, pollMs: 20 }), createChangeFeed({ database, pollMs: 20 })];
    const client = createClient();
    const first = await connect(one, client);
    await client.until(() => client.resets() > 0);
    const slow = await writeAndHold('overtaken');
    await database.query(put('quick'));
    await client.until(() => client.heard.includes('quick'));
    first.leave();
    await one.close();
    const second = await connect(two, client);
    await database.query(put('later'));
    await client.until(() => client.heard.includes('later'));
    await slow.commit();
    await client.until(() => client.heard.includes('overtaken'));
    expect(client.resets()).toBe(1);
    second.leave();
    await two.close();
  });

  it('resets once more when a transaction that began unwatched has ended', async () => {
    await database.query({ text: 'delete from kannuki.change_watch' });
    const unwatched = await writeAndHold('unseen');
    const feed = createChangeFeed({ database, pollMs: 20 });
    const client = createClient();
    const connection = await connect(feed, client);
    await client.until(() => client.resets() === 1);
    await unwatched.commit();
    await client.until(() => client.resets() === 2);
    expect(client.heard).not.toContain('unseen');
    connection.leave();
    await feed.close();
  });

  /** What committed and was never heard. */
  async function hop(name: string, readStatement?: (schema: string) => string): Promise<readonly string[]> {
    const options = { database, pollMs: 10, ...(readStatement && { readStatement }) };
    const feeds = [createChangeFeed(options), createChangeFeed(options)] as const;
    const random = seededRandom(7);
    const client = createClient();
    const committed: string[] = [];
    // The watch is there and settled before anybody writes, so that no reset can stand in for a message.
    const quiet = await feeds[0].join(() => undefined);
    const opening = await connect(feeds[0], client);
    await client.until(() => client.resets() > 0);
    opening.leave();
    let writing = 6;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; n < 30; n++) {
        const key = `${name}-${writer}-${n}`;
        const waitMs = random.fraction() * 40;
        await database.transaction(async (tx) => {
          await tx.query(put(key));
          // Transactions of different lengths are what this test is about.
          await sleep(waitMs);
        });
        committed.push(key);
      }
      writing -= 1;
    };
    const writers = Array.from({ length: writing }, (_, writer) => write(writer));
    for (let turn = 0; writing > 0; turn++) {
      const feed = feeds[turn % 2] ?? feeds[0];
      let left = 1 + Math.floor(random.fraction() * 3);
      let over = (): void => {};
      const cut = new Promise<void>((resolve) => {
        over = resolve;
      });
      const place = await feed.join(({ bytes }) => {
        left -= 1;
        // Sometimes the connection breaks in the middle of what was sent at once.
        if (left > 0) client.take(bytes);
        else if (left === 0) client.take(bytes, random.fraction() < 0.5 ? 1 : undefined);
        if (left <= 0) over();
      }, client.place());
      // An idle stream says nothing for a while; then the next turn comes by itself.
      await Promise.race([cut, sleep(500)]);
      left = 0;
      place.leave();
    }
    await Promise.all(writers);
    const last = await connect(feeds[1], client);
    await database.query(put(`${name}-end`));
    await client.until(() => client.heard.includes(`${name}-end`));
    last.leave();
    quiet.leave();
    for (const feed of feeds) await feed.close();
    expect(client.resets()).toBe(1);
    expect(client.heard).not.toContain('*');
    return committed.filter((key) => !client.heard.includes(key));
  }

  it('misses no commit of six writers while a client hops between two servers', async () => {
    expect(await hop('hop')).toEqual([]);
  });

  it('would miss some if it trusted the order of transactions (the test can fail)', async () => {
    expect((await hop('order', readByOrder)).length).toBeGreaterThan(0);
  });
});
