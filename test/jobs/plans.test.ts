/**
 * The plans of the hot statements and of the reads that people wait for, on full tables. A plan that walks the hot
 * table costs most of the speed and is not seen in any result. The long form has a million rows:
 * `npm run faults -- jobs-plans`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobStatementName } from '../../src/systems/jobs/sql/job-statements.ts';
import { readRunsStatement } from '../../src/systems/jobs/sql/read-runs.ts';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { type JobsRig, type JobsServer, openJobsRig, startJobsServer } from './jobs-rig.ts';

const thousands = faultRounds('JOBS_PLANS', 60);

describe.each([15, 18] as const)('plans on PostgreSQL %i', (major) => {
  let server: JobsServer;
  let rig: JobsRig;
  beforeAll(async () => {
    server = await startJobsServer(major);
    rig = await openJobsRig(server);
    const job = await rig.define({ name: 'job' });
    for (let i = 0; i < 20; i++) await rig.worker([job]);
    const rows = thousands * 1_000;
    const fill = `insert into jobs.job_runs (job_definition_id, queue_id, priority, scheduled_for, payload, state, assigned_worker_id, version, leader_epoch, concurrency_key, gate)`;
    await rig.sql(
      `${fill} select 1, 1, n % 3, now() - n * interval '1 ms', '1', 'PENDING', null, 1, null, null, 0 from generate_series(1, ${rows}) n`,
    );
    await rig.sql(
      `${fill} select 1, 1, 0, now(), '1', 'RUNNING', 1 + n % 20, 3, 0, null, 0 from generate_series(1, 2000) n`,
    );
    await rig.sql(
      `${fill} select 1, 1, 0, now(), '1', 'ASSIGNED', 1 + n % 20, 2, 0, null, 1 from generate_series(1, 200) n`,
    );
    await rig.sql(
      `${fill} select 1, 1, 0, now(), '1', 'PENDING', null, 1, null, 'k:' || n % 50, 1 from generate_series(1, ${rows / 10}) n`,
    );
    await rig.sql(`insert into jobs.job_run_history (id, scheduled_for, created_at, finished_at, job_definition_id, version, queue_id, priority, attempt, trigger, state)
select 100000000 + n, now(), now(), now(), 1, 4, 1, 0, 1, 0, 'SUCCEEDED' from generate_series(1, ${rows}) n`);
    await rig.sql(
      `insert into jobs.job_slots (job_definition_id, scheduled_for, outcome, leader_epoch) select 1, to_timestamp(n), 'fired', 0 from generate_series(1, ${rows / 10}) n`,
    );
    await rig.sql(
      `insert into jobs.events (name, processed_at) select 'e', now() from generate_series(1, ${rows / 10}) n`,
    );
    await rig.sql(`insert into jobs.events (name) select 'e' from generate_series(1, 10) n`);
    for (const table of ['job_runs', 'job_run_history', 'job_slots', 'events', 'workers'])
      await rig.sql(`analyze jobs.${table}`);
  }, 1_200_000);
  afterAll(async () => {
    await rig?.close();
    await server?.stop();
  });

  /** One plan for these values, and the one the server keeps for all values. */
  const plansOf = async (text: string, values: readonly unknown[]): Promise<readonly string[]> => {
    const literal = (value: unknown): string => (value === null ? 'null' : `'${String(value)}'`);
    return rig.database.session(async (on) => {
      const explain = async (mode: string): Promise<string> => {
        await on.query({ text: `set plan_cache_mode = ${mode}` });
        const { rows } = await on.query<{ 'QUERY PLAN': string }>({
          text: `explain execute looked_at${values.length ? `(${values.map(literal).join(', ')})` : ''}`,
        });
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      };
      await on.query({ text: `prepare looked_at as ${text.replaceAll('jobs.', `"${rig.database.schema}".`)}` });
      try {
        return [await explain('force_custom_plan'), await explain('force_generic_plan')];
      } finally {
        await on.query({ text: 'deallocate looked_at' });
        await on.query({ text: 'reset plan_cache_mode' });
      }
    });
  };
  const some = `{${Array.from({ length: 500 }, (_, i) => i + 10).join(',')}}`;

  it.each<[JobStatementName, readonly (string | number | boolean | null)[], readonly string[]]>([
    ['claim', [500, 1, 1, '{1}', -32_768, 0, 0], ['job_runs_ready', 'job_runs_pkey']],
    ['look', [1, '{1}'], ['job_runs_ready']],
    ['start', [some, 1, 2], ['job_runs_pkey']],
    ['finish', [some, 1, 0, 3, 1, 'SUCCEEDED', '[]'], ['job_runs_pkey']],
    ['finishFailed', [some, 1, 0, 3, 1, 'FAILED', '[]'], ['job_runs_pkey']],
    ['heartbeat', [1, some, 500, false, 10, 0], ['job_runs_pkey', 'job_runs_assigned']],
    ['ownsRun', [1, 1, 0, 3, 1], ['job_runs_pkey']],
    ['mine', [1], ['job_runs_running']],
    ['listGated', [1000], ['job_runs_gated', 'job_runs_exclusive']],
    ['assign', ['{1,2,3}', 1, 1], ['job_runs_pkey']],
    ['orphan', [1, 10, 10], ['job_runs_assigned']],
    ['confirm', [1, 10, 2], ['job_runs_running']],
    ['rescueRunning', [1, 10, 10, 100], ['job_runs_running']],
  ])('%s keeps to its indexes', async (name, values, indexes) => {
    const { text } = rig.statements[name](...values);
    for (const plan of await plansOf(text, values)) {
      expect(plan).not.toMatch(/Seq Scan on job_runs\b/);
      expect(plan).not.toMatch(/Seq Scan on job_run_history\b/);
      for (const index of indexes) expect(plan).toContain(index);
    }
  });

  it('notices a finish that joins, and one whose guards draw the planner away from the ids', async () => {
    const values = [some, 1, 0, 3, 1, 'SUCCEEDED', '[]'];
    const { text } = rig.statements.finish(...(values as [string]));
    const joined = text
      .replace('delete from', 'delete from')
      .replace(
        /job_runs r where r\.id = any\(\$1::text::bigint\[\]\) and/,
        'job_runs r using unnest($1::text::bigint[]) as f(id) where r.id = f.id and',
      );
    expect(joined).not.toBe(text);
    const plain = text.replace('case when r.state', '(r.state').replace('then true else false end', ')');
    expect(plain).not.toBe(text);
    const plans = [...(await plansOf(joined, values)), ...(await plansOf(plain, values))];
    const sound = await plansOf(text, values);
    for (const plan of sound)
      expect(plan).toMatch(
        /Delete on job_runs r[^\n]*\n\s*->\s+(Index Scan using job_runs_pkey|Bitmap Heap Scan on job_runs r)/,
      );
    expect(
      plans.some(
        (plan) =>
          !/Delete on job_runs r[^\n]*\n\s*->\s+(Index Scan using job_runs_pkey|Bitmap Heap Scan on job_runs r[^>]*->\s+Bitmap Index Scan on job_runs_pkey)/.test(
            plan,
          ),
      ),
    ).toBe(true);
  });

  it.each([
    [
      'runs to give out, by state and time',
      `select id from jobs.job_runs where state = 'PENDING' and gate = 0 and queue_id = 1 and scheduled_for <= now() order by priority, scheduled_for, id limit 50`,
      'job_runs_ready',
    ],
    [
      'what a worker runs',
      `select id from jobs.job_runs where assigned_worker_id = 5 and state = 'RUNNING'`,
      'job_runs_running',
    ],
    [
      'what a worker was given',
      `select id from jobs.job_runs where assigned_worker_id = 5 and state = 'ASSIGNED'`,
      'job_runs_assigned',
    ],
    [
      'one due time',
      `select * from jobs.job_slots where job_definition_id = 1 and scheduled_for = to_timestamp(7)`,
      'job_slots_pkey',
    ],
    ['recent history', `select * from jobs.job_run_history order by id desc limit 50`, 'job_run_history_pkey'],
    [
      'events to process',
      `select id from jobs.events where processed_at is null order by created_at limit 50`,
      'events_processed',
    ],
    ['an event seen before', `select id from jobs.events where dedupe_key = 'x'`, 'events_dedupe_key_key'],
  ])('%s: on an index', async (_, text, index) => {
    const [plan = ''] = await plansOf(text, []);
    expect(plan).toContain(index);
    expect(plan).not.toContain('Seq Scan');
  });

  it('the newest runs, under way or ended, are read from both ends of the keys', async () => {
    const where = `where ($1::text is null or r.state = $1) and ($2::text is null or d.name = $2)
  and ($3::bigint is null or r.assigned_worker_id = $3) and ($4::bigint is null or r.id < $4)
order by r.id desc limit $5::int`;
    const [plan = ''] = await plansOf(readRunsStatement(`"${rig.database.schema}"`, where), [
      null,
      null,
      null,
      null,
      50,
    ]);
    expect(plan).not.toMatch(/Seq Scan on job_run(s|_history)\b/);
    reportFault({ experiment: 'jobs-plans', major, rows: thousands * 1_000 });
  });
});
