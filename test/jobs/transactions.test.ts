/** The caller's transaction, through every library that may have opened it: the run exists if and only if it commits. */
import { PGlite } from '@electric-sql/pglite';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase, SqlExecutor, SqlStatement } from '../../src/core/ports.ts';
import { type PostgresDatabase, postgresDatabase } from '../../src/stores/postgres/index.ts';
import { createJobs, type Jobs, type SqlTransaction } from '../../src/systems/jobs/index.ts';
import { type JobsServer, startJobsServer } from './jobs-rig.ts';
import { until } from './until.ts';

let server: JobsServer;
let database: PostgresDatabase;
let pool: pg.Pool;
let kysely: Kysely<Record<string, never>>;
let jobs: Jobs;

beforeAll(async () => {
  server = await startJobsServer(18);
  database = postgresDatabase({ connectionString: server.url });
  pool = new pg.Pool({ connectionString: server.url, max: 4 });
  kysely = new Kysely({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: server.url, max: 2 }) }),
  });
  jobs = createJobs({ database, logs: false });
  await pool.query('create table public.orders (id bigint primary key)');
});
afterAll(async () => {
  await jobs?.close();
  await kysely?.destroy();
  await pool?.end();
  await database?.close();
  await server?.stop();
});

type Work = (tx: SqlTransaction) => Promise<void>;

const libraries: Record<string, (work: Work) => Promise<void>> = {
  async pg(work) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await work(client);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  },
  kysely: (work) => kysely.transaction().execute((trx) => work(trx)),
  drizzle: (work) => drizzlePg(pool).transaction((tx) => work(tx)),
  kannuki: (work) => database.transaction((tx) => work(tx)),
};

describe.each(Object.keys(libraries))('a transaction of %s', (library) => {
  const within = libraries[library] as (work: Work) => Promise<void>;
  const undo = new Error('undo');

  it('commits runs and events with it, or not at all', async () => {
    jobs.define({ name: 'other', on: 'order.paid' });
    const before = (await jobs.read.runs({ limit: 1_000 })).length;
    await expect(
      within(async (tx) => {
        await jobs.enqueue('other', { library }, { tx, idempotencyKey: `${library}-1` });
        await jobs.enqueueMany([{ job: 'other', payload: 1 }], { tx });
        expect(await jobs.emit('order.paid', 1, { tx, dedupeKey: `${library}-1` })).toBe(true);
        throw undo;
      }),
    ).rejects.toBe(undo);
    expect(await jobs.read.runs({ limit: 1_000 })).toHaveLength(before);
    let runId = 0;
    await within(async (tx) => {
      const first = await jobs.enqueue('other', { library }, { tx, idempotencyKey: `${library}-1` });
      expect(first.created).toBe(true);
      expect(await jobs.enqueue('other', {}, { tx, idempotencyKey: `${library}-1` })).toEqual({
        ...first,
        created: false,
      });
      expect(
        await jobs.enqueueMany(
          [
            { job: 'other', payload: 1 },
            { job: 'other', payload: 2, priority: 1 },
          ],
          { tx },
        ),
      ).toEqual({ created: 2, duplicates: 0 });
      expect(await jobs.emit('order.paid', 1, { tx, dedupeKey: `${library}-1` })).toBe(true);
      expect(await jobs.emit('order.paid', 1, { tx, dedupeKey: `${library}-1` })).toBe(false);
      // Nobody else sees it yet.
      expect(await jobs.read.run(first.runId)).toBeUndefined();
      runId = first.runId;
    });
    expect(await jobs.read.run(runId)).toMatchObject({ payload: { library }, idempotencyKey: `${library}-1` });
    expect(await jobs.read.runs({ limit: 1_000 })).toHaveLength(before + 3);
  });

  it('ends the run together with the handler’s writes, or neither', async () => {
    const name = `order-${library}`;
    const key = Object.keys(libraries).indexOf(library) * 10;
    let mode: 'commit' | 'forget' | 'throw' = 'throw';
    jobs.define({
      name,
      maxRetries: 2,
      backoff: { baseMs: 0, maxMs: 0 },
      async handler({ finishIn, run }) {
        mode = (['throw', 'forget', 'commit'] as const)[run.attempt - 1] ?? 'commit';
        const work = within(async (tx) => {
          await finishIn(tx, { attempt: run.attempt });
          if (mode === 'throw') throw undo;
          if (mode === 'forget') throw undo;
          await pool.query('insert into public.orders values ($1)', [key + run.attempt]);
        });
        // A handler that swallows the failure of its transaction has not finished the run.
        await (mode === 'forget' ? work.catch(() => undefined) : work);
      },
    });
    const { runId } = await jobs.enqueue(name);
    const worker = await jobs.startWorker();
    const last = async (): Promise<unknown> =>
      (await jobs.read.runs({ job: name })).map(({ state, reason, attempt, result }) => [
        attempt,
        state,
        reason,
        result,
      ]);
    await until(async () => (await jobs.read.runs({ job: name, state: 'SUCCEEDED' })).length === 1, 'it succeeds');
    expect(await last()).toEqual([
      [3, 'SUCCEEDED', null, { attempt: 3 }],
      [2, 'FAILED', 'finish-rolled-back', null],
      [1, 'FAILED', 'handler-failed', null],
    ]);
    await worker.stop();
    expect(await jobs.read.refusals({ runId })).toEqual([]);
    const { rows } = await pool.query('select id from public.orders where id between $1 and $2', [key, key + 9]);
    expect(rows).toHaveLength(1);
  });
});

describe('a transaction of PGlite itself', () => {
  it('commits a run with it, or not at all', async () => {
    const raw = await PGlite.create();
    try {
      // As in an application that has a PGlite of its own.
      const query: SqlDatabase['query'] = async <Row>({ text, values = [] }: SqlStatement) => {
        const { rows } = await raw.query<Row>(text, [...values]);
        return { rows, rowCount: rows.length };
      };
      const lend = <T>(work: (on: SqlExecutor) => Promise<T>): Promise<T> => work({ query });
      const capabilities = { concurrent: false, fsync: false, listen: false };
      const listen = (): Promise<never> => Promise.reject(new Error('not here'));
      const own: SqlDatabase = {
        schema: 'kannuki',
        capabilities,
        query,
        transaction: lend,
        session: lend,
        listen,
        close: async () => {},
      };
      const embedded = createJobs({ database: own, logs: false });
      embedded.define({ name: 'x' });
      await embedded.ready();
      await expect(
        raw.transaction(async (tx) => {
          await embedded.enqueue('x', 1, { tx });
          throw new Error('undo');
        }),
      ).rejects.toThrow('undo');
      expect(await embedded.read.runs()).toEqual([]);
      await raw.transaction(async (tx) => void (await embedded.enqueue('x', 'kept', { tx })));
      expect(await embedded.read.runs()).toMatchObject([{ payload: 'kept' }]);
      await embedded.close();
    } finally {
      await raw.close();
    }
  }, 60_000);
});
