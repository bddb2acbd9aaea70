/** The server under the tests of all others: what it survives, and that it comes back where it was. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../test/servers/postgres-server.ts';

describe.each([18, 15] as const)('PostgreSQL %i', (major) => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres({ major, settings: { fsync: 'on', work_mem: '5MB' } });
  });

  afterAll(() => server.stop());

  async function query(text: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: server.url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  it('runs with the settings it was given, and forces its writes to disk', async () => {
    expect(server.version).toMatch(new RegExp(`^${major}\\.`));
    expect(await query('show work_mem')).toEqual([{ work_mem: '5MB' }]);
    expect(await query('show fsync')).toEqual([{ fsync: 'on' }]);
  });

  it('comes back from kill -9 on the same port with what was committed', async () => {
    await query('create table kept (id integer)');
    await query('insert into kept values (7)');
    const killed = server.pid;
    await server.kill9();
    await expect(query('select 1')).rejects.toThrow();
    await server.restart();
    expect(server.pid).not.toBe(killed);
    expect(await query('select id from kept')).toEqual([{ id: 7 }]);
  });

  it('answers only after a pause has ended', async () => {
    await server.pause();
    const answer = query('select 1 as one');
    let answered = false;
    void answer.then(() => {
      answered = true;
    });
    // Nothing can signal that no answer comes; a server that is not paused answers in a few milliseconds.
    await new Promise((done) => setTimeout(done, 200));
    expect(answered).toBe(false);
    await server.resume();
    expect(await answer).toEqual([{ one: 1 }]);
  });
});
