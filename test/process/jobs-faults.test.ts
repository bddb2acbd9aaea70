/**
 * Four workers and three who would lead, in processes of their own, while jobs are enqueued: processes are killed with
 * -9 or stopped, the database is restarted, connections are cut. Every job ends exactly once by its record, and no due
 * time is lost or doubled. The long form is `npm run faults -- jobs`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresDatabase, postgresDatabase } from '../../src/stores/postgres/index.ts';
import { createJobs, type Jobs } from '../../src/systems/jobs/index.ts';
import { seededRandom } from '../../src/testing/index.ts';
import { until } from '../jobs/until.ts';
import { startPostgres } from '../servers/postgres-server.ts';
import { reportComponent } from '../servers/report-component.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';
import { createJobsFleet, type JobsFleet, type JobsNode } from './jobs-fleet.ts';

const rounds = faultRounds('JOBS', 4);
const jobsPerRound = 100;
const memoryThousands = faultRounds('JOBS_MEMORY', 10);

let server: Awaited<ReturnType<typeof startPostgres>>;
let database: PostgresDatabase;
let jobs: Jobs;
let fleet: JobsFleet;

beforeAll(async () => {
  server = await startPostgres({ major: 18 });
  reportComponent({ component: `PostgreSQL ${server.version}`, status: 'took part' });
  database = postgresDatabase({ connectionString: server.url });
  jobs = createJobs({ database, logs: false });
  fleet = createJobsFleet(server.url);
  for (const name of ['work', 'noop', 'keyed', 'block', 'wait'])
    jobs.define({ name, maxRetries: 1_000, backoff: { baseMs: 0, maxMs: 0 } });
  await jobs.ready();
  await jobs.setSetting('worker_silent_after_seconds', 1);
  await jobs.setSetting('continuation_retry_interval_seconds', 0.1);
  await jobs.setSetting('continuation_margin_seconds', 0.3);
  await jobs.setSetting('reassign_after_seconds', 0.5);
  await database.query({
    text: 'create table public.executions (run_id bigint, attempt int, start_token bigint, pid int, at timestamptz default clock_timestamp())',
  });
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await jobs?.close();
  await database?.close();
  await server?.stop();
});

const count = async (text: string): Promise<number> =>
  (await database.query<{ n: number }>({ text: `select count(*)::int as n from ${text}` })).rows[0]?.n ?? 0;

/** Until the database takes it: it may be away. With a key, so that a lost reply makes no second run. */
async function enqueueSurely(items: Parameters<Jobs['enqueueMany']>[0]): Promise<void> {
  await until(
    () =>
      jobs.enqueueMany(items).then(
        () => true,
        () => false,
      ),
    'the database takes the jobs',
    60_000,
  );
}

/** Everybody's but the one that asks. */
async function cutConnections(): Promise<void> {
  const text = `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`;
  await database.query({ text }).catch(() => undefined);
}

describe('jobs over processes', () => {
  it(`${rounds} rounds of kill -9, SIGSTOP, restart and cuts`, { timeout: 3_600_000 }, async () => {
    const random = seededRandom(rounds);
    const roles = ['leader', 'leader', 'leader', 'worker', 'worker', 'worker', 'worker'] as const;
    const nodes: JobsNode[] = await Promise.all(roles.map((role) => fleet.start(role)));
    const faults = { kill: 0, stop: 0, restart: 0, cut: 0 };
    let enqueued = 0;
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const kinds = ['kill', 'stop', 'restart', 'cut'] as const;

    for (let round = 0; round < rounds; round++) {
      const first = enqueued;
      enqueued += jobsPerRound;
      const adding = enqueueSurely(
        Array.from({ length: jobsPerRound }, (_, i) => ({
          job: i % 10 === 0 ? 'keyed' : 'work',
          payload: first + i,
          idempotencyKey: `job-${first + i}`,
          ...(i % 10 === 0 && { concurrencyKey: `key-${i % 3}` }),
        })),
      );
      const kind = kinds[round % kinds.length] ?? 'kill';
      faults[kind]++;
      const victim = random.integer(0, nodes.length - 1);
      if (kind === 'kill') {
        const { role } = nodes[victim] as JobsNode;
        await nodes[victim]?.kill();
        nodes[victim] = await fleet.start(role);
      } else if (kind === 'stop') {
        nodes[victim]?.signal('SIGSTOP');
        // Real time: longer than the silence, the question and the lease, so that its runs and leadership are another's.
        await pause(2_500);
        nodes[victim]?.signal('SIGCONT');
      } else if (kind === 'restart') {
        await server.restart();
      } else {
        await cutConnections();
      }
      await adding;
    }
    await until(
      async () =>
        (await count(
          `kannuki.job_runs where job_definition_id <> (select id from kannuki.job_definitions where name = 'tick')`,
        )) === 0,
      'every run has ended',
      120_000,
    );
    expect(fleet.deserters).toEqual([]);

    // By its record every job has ended exactly once, and well.
    expect(await count(`kannuki.job_keys where idempotency_key like 'job-%'`)).toBe(enqueued);
    expect(await count(`kannuki.job_run_history h where state = 'SUCCEEDED' and idempotency_key like 'job-%'`)).toBe(
      enqueued,
    );
    expect(
      await count(
        `(select idempotency_key from kannuki.job_run_history where state = 'SUCCEEDED' and idempotency_key is not null group by 1 having count(*) > 1) x`,
      ),
    ).toBe(0);
    expect(
      await count(
        `(select retry_of from kannuki.job_run_history where retry_of is not null group by 1 having count(*) > 1) x`,
      ),
    ).toBe(0);
    expect(await count(`kannuki.job_run_history where state not in ('SUCCEEDED', 'FAILED', 'TIMED_OUT')`)).toBe(0);
    // No due time was lost or doubled: one row for every second from the first to the last.
    const { rows } = await database.query<{ slots: number; seconds: number; runs: number }>({
      text: `select count(*)::int as slots, extract(epoch from max(scheduled_for) - min(scheduled_for))::int + 1 as seconds,
  count(run_id)::int as runs from kannuki.job_slots`,
    });
    const [slots] = rows;
    expect(slots?.slots).toBe(slots?.seconds);
    expect(slots?.slots).toBe(slots?.runs);
    const retries = await count('kannuki.job_run_history where retry_of is not null');
    const refused = await count('kannuki.job_refusals');
    const executions = await count(`public.executions`);
    const epochs = await count('(select distinct leader_epoch from kannuki.job_slots) x');
    reportFault({
      experiment: 'jobs',
      rounds,
      jobs: enqueued,
      faults,
      retries,
      refused,
      executions,
      epochs,
      slots: slots?.slots,
    });
    await Promise.all(nodes.map((node) => node.kill()));
  });

  it('the rate of finished runs comes back after each kind of fault', { timeout: 900_000 }, async () => {
    const isLong = rounds >= 100;
    const nodes = await Promise.all(
      (['leader', 'worker', 'worker', 'worker', 'worker'] as const).map((role) => fleet.start(role)),
    );
    const windowMs = isLong ? 1_000 : 500;
    const counter = 'select last_value::float8 as n from kannuki.start_tokens';
    /** Runs started a second, over one window; there is always something to start. */
    const rate = async (): Promise<number> => {
      if ((await count('(select from kannuki.job_runs limit 5000) x')) < 5_000)
        await enqueueSurely(Array.from({ length: 10_000 }, (_, payload) => ({ job: 'work', payload })));
      const read = async (): Promise<number> =>
        (await database.query<{ n: number }>({ text: counter })).rows[0]?.n ?? 0;
      const from = await read();
      const startMs = performance.now();
      await new Promise((resolve) => setTimeout(resolve, windowMs));
      return ((await read()) - from) / ((performance.now() - startMs) / 1_000);
    };
    const faults: Readonly<Record<string, () => Promise<void>>> = {
      async kill() {
        await nodes[1]?.kill();
        nodes[1] = await fleet.start('worker');
      },
      async cut() {
        await cutConnections();
      },
      async stop() {
        nodes[2]?.signal('SIGSTOP');
        // Real time: until its runs are another's.
        await new Promise((resolve) => setTimeout(resolve, 2_500));
        nodes[2]?.signal('SIGCONT');
      },
      restart: () => server.restart(),
    };
    // The short form says nothing of speed: runs must be started again at all.
    const share = isLong ? 0.95 : 0;
    const seen: Record<string, unknown> = {};
    for (const [kind, fail] of Object.entries(faults).slice(0, isLong ? 4 : 1)) {
      const before = [await rate(), await rate(), await rate()].sort((a, b) => a - b)[1] ?? 0;
      await fail();
      const failedMs = performance.now();
      let after = 0;
      await until(
        async () => {
          after = await rate().catch(() => 0);
          return after > 0 && after >= before * share;
        },
        `the rate after ${kind} is ${share} of ${Math.round(before)}/s again (last ${Math.round(after)}/s)`,
        60_000,
      );
      const backMs = Math.round(performance.now() - failedMs);
      seen[kind] = { before: Math.round(before), after: Math.round(after), backMs };
      if (isLong) expect(backMs).toBeLessThan(30_000);
    }
    reportFault({ experiment: 'jobs-rates', share, ...seen });
    expect(fleet.deserters).toEqual([]);
    await Promise.all(nodes.map((node) => node.kill()));
    await database.query({ text: 'truncate kannuki.job_runs' });
  });

  it(`a worker drains ${memoryThousands},000 jobs in less than 250 MB`, { timeout: 900_000 }, async () => {
    const total = memoryThousands * 1_000;
    await database.query({
      text: `insert into kannuki.job_runs (job_definition_id, queue_id, payload)
select d.id, d.queue_id, json_build_object('i', g) from kannuki.job_definitions d, generate_series(1, ${total}) g where d.name = 'noop'`,
    });
    const startMs = performance.now();
    const worker = await fleet.start('worker', { concurrency: 500, logs: true });
    await until(async () => (await count('(select from kannuki.job_runs limit 1) x')) === 0, 'all ended', 800_000);
    const seconds = (performance.now() - startMs) / 1_000;
    const megabytes = await worker.memory();
    reportFault({ experiment: 'jobs-memory', jobs: total, megabytes, perSecond: Math.round(total / seconds) });
    expect(megabytes).toBeLessThan(250);
    expect(fleet.deserters).toEqual([]);
    await worker.kill();
  });

  it('kill -9 → run elsewhere within silence, question and a second; cancel → signal across processes', {
    timeout: 120_000,
  }, async () => {
    const leader = await fleet.start('leader');
    const first = await fleet.start('worker');
    const { runId } = await jobs.enqueue('wait');
    expect(await first.next('waiting')).toBe(runId);
    const second = await fleet.start('worker');
    const killedMs = performance.now();
    await first.kill();
    const again = await second.next('waiting');
    const recoveryMs = performance.now() - killedMs;
    expect(await jobs.read.run(runId)).toMatchObject({ state: 'TIMED_OUT', reason: 'worker-silent' });
    expect(await jobs.read.run(Number(again))).toMatchObject({ state: 'RUNNING', attempt: 2, retryOf: runId });
    const askedMs = performance.now();
    await jobs.cancel(Number(again));
    expect(await second.next('signalled')).toBe(again);
    const signalMs = performance.now() - askedMs;
    await until(async () => (await jobs.read.run(Number(again)))?.state === 'CANCELED', 'it is canceled');
    reportFault({ experiment: 'jobs-recovery', recoveryMs: Math.round(recoveryMs), signalMs: Math.round(signalMs) });
    // 1 s of silence, 0.6 s of question, a second for the rest, and four (in the short form twenty) for a busy machine.
    const busyMs = rounds >= 100 ? 4_000 : 20_000;
    expect(recoveryMs).toBeLessThan(2_600 + busyMs);
    expect(signalMs).toBeLessThan(1_000 + busyMs);
    expect(fleet.deserters).toEqual([]);
    await Promise.all([leader.kill(), second.kill()]);
  });

  it('a handler that blocks its loop: its runs go elsewhere, the others are undisturbed', {
    timeout: 120_000,
  }, async () => {
    const nodes = [await fleet.start('leader'), await fleet.start('worker')];
    const { runId } = await jobs.enqueue('block');
    await until(async () => (await jobs.read.run(runId))?.state === 'RUNNING', 'it runs');
    nodes.push(await fleet.start('worker'));
    await until(async () => (await jobs.read.run(runId))?.finishedAtMs != null, 'it is given up');
    expect(await jobs.read.run(runId)).toMatchObject({ state: 'TIMED_OUT', reason: 'worker-silent' });
    const rest = await jobs.enqueue('work');
    await until(async () => (await jobs.read.run(rest.runId))?.state === 'SUCCEEDED', 'others go on');
    await until(
      async () => (await count(`kannuki.job_run_history where retry_of = ${runId} and state = 'SUCCEEDED'`)) === 1,
      'it is run elsewhere',
    );
    expect(fleet.deserters).toEqual([]);
    await Promise.all(nodes.map((node) => node.kill()));
  });
});
