/**
 * Looking for runs among many: each filter keeps to an index, a search in payloads ends in time, and an act on
 * everything that matches does what it counted. The long form has 100,000 runs and measures:
 * `npm run faults -- runs-filters`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJobs, type Jobs, type RunFilter } from '../../src/systems/jobs/index.ts';
import { boundedRead } from '../../src/systems/jobs/reading/bounded-read.ts';
import { conditionOf } from '../../src/systems/jobs/reading/run-filter.ts';
import { readRunsStatement } from '../../src/systems/jobs/sql/read-runs.ts';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { type JobsRig, type JobsServer, openJobsRig, startJobsServer } from './jobs-rig.ts';

const thousands = faultRounds('RUNS_FILTERS', 20);
const isLong = thousands >= 100;
const rows = thousands * 1_000;

describe('runs among many', () => {
  let server: JobsServer;
  let rig: JobsRig;
  let jobs: Jobs;
  const hourMs = 3_600_000;
  let nowMs = 0;

  beforeAll(async () => {
    server = await startJobsServer(18);
    rig = await openJobsRig(server);
    for (let n = 1; n <= 40; n++) await rig.define({ name: `job-${n}` });
    for (let n = 0; n < 20; n++) await rig.worker([1]);
    // A day of runs: one in five hundred failed, one in two thousand timed out.
    await rig.sql(`
insert into jobs.job_run_history (id, scheduled_for, created_at, started_at, finished_at, assigned_worker_id, leader_epoch,
  start_token, job_definition_id, version, queue_id, priority, attempt, trigger, state, payload, error)
select n, t.at, t.at, t.at + interval '20 ms', t.at + interval '200 ms', 1 + n % 20, 41, n, 1 + n % 40, 4, 1, 0, 1, 0,
  case when n % 500 = 0 then 'FAILED' when n % 2000 = 1 then 'TIMED_OUT' else 'SUCCEEDED' end,
  json_build_object('videoId', 'v-' || n, 'order', json_build_object('id', n % 100), 'email', 'a@b'),
  case when n % 500 = 0 then 'connect ETIMEDOUT' end
from generate_series(1, ${rows}) n,
  lateral (select now() - interval '24 hours' * (1 - n::float8 / ${rows}) as at) t`);
    await rig.sql(`select setval(pg_get_serial_sequence('jobs.job_runs', 'id'), ${rows})`);
    for (let n = 0; n < 30; n++) await rig.enqueue(1 + (n % 3));
    await rig.sql('vacuum analyze jobs.job_run_history');
    await rig.sql('analyze jobs.job_runs');
    jobs = createJobs({ database: rig.database, migrate: false });
    nowMs = (await jobs.read.countRuns()).atMs;
  }, 300_000);
  afterAll(async () => {
    await jobs?.close();
    await rig?.close();
    await server?.stop();
  });

  const filters = (): readonly (readonly [string, RunFilter, string])[] => [
    ['state', { state: 'FAILED' }, 'job_run_history_unusual'],
    ['states', { state: ['FAILED', 'TIMED_OUT'] }, 'job_run_history_unusual'],
    ['job', { job: 'job-7' }, 'job_run_history_job'],
    ['worker', { workerId: 3 }, 'job_run_history_worker'],
    ['time', { fromMs: nowMs - 13 * hourMs, toMs: nowMs - 12.8 * hourMs }, 'job_run_history_times'],
    ['nothing', {}, 'job_run_history_pkey'],
  ];

  const planOf = async (filter: RunFilter, on = rig.database.query): Promise<string> => {
    const schema = `"${rig.database.schema}"`;
    const { text, values } = conditionOf(schema, filter);
    const { rows: lines } = await on<{ 'QUERY PLAN': string }>({
      text: `explain ${readRunsStatement(schema, `${text} order by r.id desc limit 100`)}`,
      values,
    });
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  };

  it('are found by an index, whatever they are filtered by', async () => {
    for (const [name, filter, index] of filters()) {
      const plan = await planOf(filter);
      expect(plan, name).not.toMatch(/Seq Scan on job_run_history/);
      expect(plan, name).toMatch(new RegExp(`${index}|job_run_history_pkey`));
    }
    // A job that rarely runs is where a walk along the key would be long.
    await rig.sql(`update jobs.job_run_history set job_definition_id = 40 where id between 100 and 105`);
    expect(await planOf({ state: ['FAILED', 'TIMED_OUT'] })).toContain('job_run_history_unusual');
  });

  it('would be noticed if an index were missing', async () => {
    const gone = new Error('roll back');
    const plan = { text: '' };
    await rig.database
      .transaction(async (tx) => {
        await tx.query({ text: `drop index "${rig.database.schema}".job_run_history_unusual` });
        plan.text = await planOf({ state: ['FAILED', 'TIMED_OUT'] }, tx.query.bind(tx));
        throw gone;
      })
      .catch((error: unknown) => {
        if (error !== gone) throw error;
      });
    expect(plan.text).not.toContain('job_run_history_unusual');
  });

  it('come newest first, page by page, without a gap', async () => {
    const seen: number[] = [];
    let beforeId: number | undefined;
    do {
      const page = await jobs.read.runs({
        state: ['FAILED', 'TIMED_OUT'],
        limit: 7,
        ...(beforeId !== undefined && { beforeId }),
      });
      seen.push(...page.map(({ id }) => id));
      beforeId = page.at(-1)?.id;
    } while (beforeId !== undefined);
    const { states, total, complete } = await jobs.read.countRuns({ state: ['FAILED', 'TIMED_OUT'] });
    expect(seen).toHaveLength(total);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => b - a));
    expect(states).toEqual({ FAILED: rows / 500, TIMED_OUT: rows / 2_000 });
    expect(complete).toBe(true);
  });

  it('are counted by state and over time, and the parts add up', async () => {
    const fromMs = nowMs - 25 * hourMs;
    const parts = await jobs.read.countRunsOverTime({ fromMs, toMs: nowMs + hourMs }, 26);
    const sum = parts.reduce((all, { count }) => all + count, 0);
    expect(sum).toBe((await jobs.read.countRuns()).total);
    expect(parts.every(({ startMs }) => startMs >= fromMs)).toBe(true);
  });

  it('are found by what their payload says, within a time range only', async () => {
    const fromMs = nowMs - 48 * hourMs;
    const found = await jobs.read.runs({ payload: { path: ['videoId'], value: 'v-777' }, fromMs });
    expect(found.map(({ id }) => id)).toEqual([777]);
    expect(await jobs.read.runs({ payload: { path: ['order', 'id'], value: '5' }, fromMs, limit: 3 })).toHaveLength(3);
    // An object has no text of its own to be found by.
    expect(await jobs.read.runs({ payload: { path: ['order'], value: '{"id" : 5}' }, fromMs })).toEqual([]);
    const hostile = { path: ['a"}\', (select 1)--'], value: "'; drop table x;--" };
    expect(await jobs.read.runs({ payload: hostile, fromMs })).toEqual([]);
    await expect(jobs.read.runs({ payload: { path: ['videoId'], value: 'v' } })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('are not searched for longer than allowed: the server ends the statement', async () => {
    const startMs = performance.now();
    const slow = boundedRead(rig.database, { text: 'select pg_sleep(60)' }, 200);
    await expect(slow).rejects.toMatchObject({ code: 'search-too-slow' });
    expect(performance.now() - startMs).toBeLessThan(20_000);
    // The bound is of that statement only, not of the connection.
    expect((await rig.sql<{ t: string }>(`select current_setting('statement_timeout') as t`))[0]?.t).toBe('0');
  });

  it('are acted on all at once, once, and only when the count is what was seen', async () => {
    const filter: RunFilter = { state: ['FAILED', 'SUCCEEDED'], job: 'job-21', fromMs: nowMs - 48 * hourMs };
    const count = await jobs.countMatching('retry', filter);
    expect(count.applies).toBeGreaterThan(0);
    expect(count.matching).toBeGreaterThan(count.applies);
    const wrong = await jobs.actOnMatching('retry', filter, { expected: count.applies * 2 });
    expect(wrong).toMatchObject({ acted: false, reason: 'count-changed', count: { applies: count.applies } });
    const [first, second] = await Promise.all([
      jobs.actOnMatching('retry', filter, { expected: count.applies, by: 'mori', why: 'the server is back' }),
      jobs.actOnMatching('retry', filter, { expected: count.applies, by: 'sato' }),
    ]);
    const done = [first, second].map((outcome) => (outcome.acted ? outcome.done : 0));
    expect(done.reduce((a, b) => a + b, 0)).toBe(count.applies);
    expect(await jobs.countMatching('retry', filter)).toMatchObject({ applies: 0, matching: count.matching });

    const live = await jobs.countMatching('cancel', { job: 'job-1' });
    expect(live.applies).toBe(10);
    expect(await jobs.actOnMatching('cancel', { job: 'job-1' }, { expected: 10, limit: 4 })).toMatchObject({
      done: 4,
      remaining: 6,
    });
    expect((await jobs.countMatching('cancel', { job: 'job-1' })).applies).toBe(6);
  });

  it('give an overview and keep their promises', async () => {
    await rig.sql(`insert into jobs.job_refusals (run_id, wanted, reason) values (1, 'SUCCEEDED', 'wrong-state')`);
    const overview = await jobs.read.overview(1_440);
    expect(overview.failing[0]).toMatchObject({ lastError: 'connect ETIMEDOUT' });
    expect(overview.failing[0]?.failures).toHaveLength(12);
    expect(overview.failing[0]?.failures.reduce((a, b) => a + b, 0)).toBe(overview.failing[0]?.failed);
    expect(overview.parts.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBeGreaterThan(rows * 0.9);
    expect(overview.handled.refusedWrites).toBe(1);
    const { invariants } = await jobs.read.guarantees();
    expect(invariants.map(({ violations }) => violations)).toEqual(invariants.map(() => 0));
    // A run in both places is seen.
    await rig.sql(
      `insert into jobs.job_runs (id, job_definition_id, queue_id) overriding system value values (5, 1, 1)`,
    );
    const broken = (await jobs.read.guarantees()).invariants.find(({ name }) => name === 'one-place');
    expect(broken?.violations).toBe(1);
    await rig.sql('delete from jobs.job_runs where id = 5');
  });

  if (!isLong) return;
  it('are found in less than 200 ms', async () => {
    const tookMs: Record<string, number> = {};
    for (const [name, filter] of filters()) {
      const times: number[] = [];
      for (let n = 0; n < 20; n++) {
        const startMs = performance.now();
        await jobs.read.runs({ ...filter, limit: 100 });
        await jobs.read.countRuns(filter);
        times.push(performance.now() - startMs);
      }
      tookMs[name] = Math.round(times.sort((a, b) => a - b)[18] ?? 0);
    }
    const startMs = performance.now();
    await jobs.read.runs({ payload: { path: ['videoId'], value: 'v-777' }, fromMs: nowMs - 48 * hourMs });
    tookMs.payload = Math.round(performance.now() - startMs);
    reportFault({ experiment: 'runs-filters', runs: rows, p95MsOfListAndCount: tookMs });
    for (const [name] of filters()) expect(tookMs[name], name).toBeLessThan(200);
  });
});
