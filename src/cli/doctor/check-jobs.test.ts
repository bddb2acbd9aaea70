import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SqlDatabase } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { leaseMigrations } from '../../sql/lease-migrations.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { jobMigrations } from '../../systems/jobs/index.ts';
import { reservationMigrations } from '../../systems/reservations/index.ts';
import { checkJobs } from './check-jobs.ts';
import { checkMoney } from './check-money.ts';

let database: SqlDatabase;
const run = async (text: string): Promise<void> => void (await database.query({ text }));

beforeAll(async () => {
  database = pgliteDatabase({ dir: 'memory' });
  await database.query({ text: 'select 1' });
});
afterAll(() => database.close());

const history = `insert into kannuki.job_run_history
  (id, scheduled_for, created_at, finished_at, job_definition_id, version, queue_id, priority, attempt, trigger, state, retry_of)
  overriding system value values`;
const live = `insert into kannuki.job_runs (id, job_definition_id, queue_id, state, concurrency_key, assigned_worker_id, assigned_at,
  leader_epoch, scheduled_for) overriding system value values`;

/** Each breaks exactly the invariant that it is named after. */
const planted: Readonly<Record<string, readonly string[]>> = {
  'jobs: one per key': [
    'drop index kannuki.job_runs_exclusive',
    `${live} (1, 1, 1, 'RUNNING', 'k', 1, now(), 5, now()), (2, 1, 1, 'ASSIGNED', 'k', 1, now(), 5, now())`,
  ],
  'jobs: one at a time': [
    `${live} (1, 2, 1, 'RUNNING', 'd:2', 1, now(), 5, now()), (2, 2, 1, 'RUNNING', 'd:2', 1, now(), 5, now())`,
  ],
  'jobs: in one place': [
    `${live} (1, 1, 1, 'PENDING', null, null, null, null, now())`,
    `${history} (1, now(), now(), now(), 1, 1, 1, 0, 1, 0, 'SUCCEEDED', null)`,
  ],
  'jobs: one successor': [
    `${history} (2, now(), now(), now(), 1, 1, 1, 0, 1, 0, 'FAILED', 1), (3, now(), now(), now(), 1, 1, 1, 0, 1, 0, 'FAILED', 1)`,
  ],
  'jobs: epochs': [`${live} (1, 1, 1, 'RUNNING', null, 1, now(), 6, now())`],
  'jobs: definitions': [`${live} (1, 99, 1, 'PENDING', null, null, null, null, now())`],
  'jobs: attempts': [`${live} (1, 1, 1, 'RUNNING', null, 77, now() - interval '1 hour', 5, now())`],
  'jobs: waiting': [`${live} (1, 1, 1, 'PENDING', null, null, null, null, now() - interval '2 hours')`],
};

it('has nothing to look at where there are no jobs', async () => {
  expect(await checkJobs(database)).toEqual([]);
  expect(await checkMoney(database)).toEqual([]);
});

it('finds what is well, and each thing that is not', async () => {
  await migrate(database, [leaseMigrations, jobMigrations]);
  await run(`insert into kannuki.queues (name) values ('default')`);
  await run(
    `insert into kannuki.job_definitions (name, queue_id, concurrency) values ('any', 1, 'allow'), ('one', 1, 'forbid')`,
  );
  await run(`insert into kannuki.workers (name) values ('w')`);
  await run(`update kannuki.fences set token = 5 where resource = 'jobs'`);
  await run(
    `${live} (100, 1, 1, 'RUNNING', null, 1, now(), 5, now()), (101, 2, 1, 'RUNNING', 'd:2', 1, now(), 5, now())`,
  );
  const well = await checkJobs(database);
  expect(well.map(({ name }) => name)).toEqual(Object.keys(planted));
  expect(well.filter(({ status }) => status !== 'ok')).toEqual([]);
  await run('delete from kannuki.job_runs');
  for (const [name, statements] of Object.entries(planted)) {
    for (const statement of statements) await run(statement);
    const broken = (await checkJobs(database)).filter(({ status }) => status !== 'ok');
    expect(
      broken.map((finding) => finding.name),
      name,
    ).toContain(name);
    expect(broken.length, name).toBeLessThanOrEqual(2);
    await run('delete from kannuki.job_runs');
    await run('delete from kannuki.job_run_history');
  }
});

it('looks at the money of reservations', async () => {
  await migrate(database, [reservationMigrations]);
  expect(await checkMoney(database)).toMatchObject([{ status: 'ok' }]);
});
