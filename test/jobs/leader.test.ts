/** Leaders of `createJobs` on a real server: due times, events, gated runs, and leadership that changes hands. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresDatabase, postgresDatabase } from '../../src/stores/postgres/index.ts';
import { createJobs, type JobScheduler, type Jobs } from '../../src/systems/jobs/index.ts';
import { type JobsServer, startJobsServer } from './jobs-rig.ts';
import { gate, until } from './until.ts';

let server: JobsServer;
let database: PostgresDatabase;
let jobs: Jobs;
let others: Jobs[] = [];
let schemas = 0;

beforeAll(async () => {
  server = await startJobsServer(18);
});
afterAll(() => server?.stop());
beforeEach(() => {
  database = postgresDatabase({ connectionString: server.url, schema: `leader${++schemas}` });
  jobs = createJobs({ database, logs: false });
});
afterEach(async () => {
  for (const other of others) await other.close();
  others = [];
  await jobs.close();
  await database.close();
});
const another = (): Jobs => {
  const other = createJobs({ database, logs: false });
  others.push(other);
  return other;
};
const sql = async (text: string, ...values: readonly unknown[]): Promise<readonly Record<string, unknown>[]> =>
  (await database.query<Record<string, unknown>>({ text: text.replaceAll('jobs.', `"${database.schema}".`), values }))
    .rows;
const quick = { tickMs: 30, leaseTtlMs: 400 };

describe('due times', () => {
  it('each leave one row and fire one run while leadership changes hands', async () => {
    const everySecond = { kind: 'cron', cron: '* * * * * *' } as const;
    const fired: number[] = [];
    const define = (one: Jobs): void =>
      void one.define({
        name: 'tick',
        schedule: everySecond,
        handler: ({ run }) => void fired.push(run.scheduledForMs ?? 0),
      });
    define(jobs);
    const second = another();
    define(second);
    const schedulers = [await jobs.startScheduler(quick), await second.startScheduler(quick)];
    await jobs.startWorker();
    for (let i = 0; i < 4; i++) {
      await until(() => schedulers.some(({ leading }) => leading), 'somebody leads');
      const before = fired.length;
      await until(() => fired.length > before, 'it fires');
      expect(await jobs.demote({ by: 'ops', why: 'turn' })).toBe(true);
    }
    await until(() => fired.length >= 5, 'it goes on');
    const slots = await sql(`select s.scheduled_for, s.outcome, s.leader_epoch from jobs.job_slots s order by 1`);
    const times = slots.map(({ scheduled_for: at }) => (at as { getTime(): number }).getTime() / 1_000);
    // Every second from the first to the last, none left out, none twice.
    expect(times).toEqual(times.map((_, i) => (times[0] ?? 0) + i));
    expect(new Set(fired).size).toBe(fired.length);
    expect(new Set(slots.map(({ leader_epoch: epoch }) => epoch)).size).toBeGreaterThan(1);
    expect((await jobs.read.audit()).filter(({ action }) => action === 'demote')).toHaveLength(4);
  });

  it('missed during a gap: the newest is caught up, the others say why they did not run', async () => {
    jobs.define({ name: 'm', schedule: { kind: 'every', minutes: 1 }, handler: () => undefined });
    await jobs.ready();
    await sql(
      `update jobs.job_definitions set schedule_cursor = schedule_cursor - interval '10 minutes', next_due_at = now()`,
    );
    await jobs.startScheduler(quick);
    await until(async () => (await jobs.read.slots('m')).length >= 10, 'all slots are there');
    const outcomes = (await jobs.read.slots('m')).map(({ outcome }) => outcome);
    // The newest may have been noticed on time, if a minute has just begun.
    expect(['caught-up', 'fired']).toContain(outcomes[0]);
    expect(new Set(outcomes.slice(1, 10))).toEqual(new Set(['skipped-late']));
    expect(await jobs.read.runs({ job: 'm' })).toHaveLength(1);
  });

  it('that find a run alive are skipped when the job forbids it', async () => {
    const go = gate();
    jobs.define({
      name: 'one',
      concurrency: 'forbid',
      schedule: { kind: 'cron', cron: '* * * * * *' },
      handler: () => go.opened,
    });
    await jobs.startWorker({ heartbeatMs: 50 });
    await jobs.startScheduler(quick);
    await until(
      async () => (await jobs.read.slots('one')).some(({ outcome }) => outcome === 'skipped-overlap'),
      'a slot is skipped',
    );
    expect(await sql(`select id from jobs.job_runs`)).toHaveLength(1);
    go.open();
  });

  it('of a paused job are skipped and say so', async () => {
    jobs.define({ name: 'p', schedule: { kind: 'cron', cron: '* * * * * *' } });
    await jobs.ready();
    expect(await jobs.pauseJob('p', true)).toBe(true);
    await jobs.startScheduler(quick);
    await until(async () => (await jobs.read.slots('p')).length > 0, 'a slot comes');
    expect(await jobs.read.slots('p')).toMatchObject([{ outcome: 'skipped-paused', runId: null }]);
  });

  it('that nobody takes in time become SKIPPED', async () => {
    jobs.define({ name: 'late', skipLateAfterSeconds: 1 });
    const { runId } = await jobs.enqueue('late');
    await sql(`update jobs.job_runs set scheduled_for = now() - interval '5 seconds'`);
    await jobs.startScheduler(quick);
    await until(async () => (await jobs.read.run(runId))?.state === 'SKIPPED', 'it is skipped');
    expect(await jobs.read.transitions(runId)).toMatchObject([{ from: 'PENDING', to: 'SKIPPED', why: 'late' }]);
  });
});

describe('events', () => {
  it('make one run for each job that waits for them, once per dedupe key', async () => {
    const seen: unknown[] = [];
    jobs.define({ name: 'mail', on: 'paid', handler: ({ payload }) => void seen.push(['mail', payload]) });
    jobs.define({ name: 'book', on: 'paid', handler: ({ payload }) => void seen.push(['book', payload]) });
    expect(await jobs.emit('paid', { order: 7 }, { dedupeKey: 'order-7' })).toBe(true);
    expect(await jobs.emit('paid', { order: 7 }, { dedupeKey: 'order-7' })).toBe(false);
    await jobs.emit('nobody waits for this');
    await jobs.startWorker();
    await jobs.startScheduler(quick);
    await until(() => seen.length === 2, 'both ran');
    await until(
      async () => (await sql(`select 1 from jobs.events where processed_at is null`)).length === 0,
      'all are marked',
    );
    expect(new Set(seen.map(String))).toEqual(new Set(['mail,[object Object]', 'book,[object Object]']));
    expect(await jobs.read.runs()).toHaveLength(2);
  });
});

describe('gated runs', () => {
  it('of one key never overlap, over two workers', async () => {
    let now = 0;
    let most = 0;
    let done = 0;
    const handler = async (): Promise<void> => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      done++;
    };
    jobs.define({ name: 'x', handler });
    const second = another();
    second.define({ name: 'x', handler });
    await jobs.enqueueMany(Array.from({ length: 12 }, (_, payload) => ({ job: 'x', payload, concurrencyKey: 'one' })));
    await jobs.startWorker({ heartbeatMs: 50 });
    await second.startWorker({ heartbeatMs: 50 });
    await jobs.startScheduler({ tickMs: 10, leaseTtlMs: 400 });
    await until(() => done === 12, 'all ran');
    expect(most).toBe(1);
  });

  it('replace: the newest asks the one that runs to cancel, and those between are skipped', async () => {
    const started: unknown[] = [];
    jobs.define<number>({
      name: 'r',
      concurrency: 'replace',
      handler: ({ payload, signal }) =>
        new Promise((resolve, reject) => {
          started.push(payload);
          if (payload === 3) resolve('newest');
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    await jobs.startWorker({ heartbeatMs: 50 });
    await jobs.startScheduler(quick);
    const first = await jobs.enqueue('r', 1);
    await until(() => started.length === 1, 'the first runs');
    await jobs.enqueueMany([2, 3].map((payload) => ({ job: 'r', payload })));
    await until(async () => (await jobs.read.runs({ job: 'r', state: 'SUCCEEDED' })).length === 1, 'the newest ran');
    expect(await jobs.read.run(first.runId)).toMatchObject({ state: 'CANCELED' });
    expect(await jobs.read.runs({ job: 'r', state: 'SKIPPED' })).toMatchObject([{ payload: 2, reason: 'replaced' }]);
    expect(started).toEqual([1, 3]);
  });

  it('with a rate limit start no faster than it, by key', async () => {
    const started: [unknown, number][] = [];
    jobs.define({
      name: 'l',
      rateLimit: { limit: 2, periodSeconds: 1 },
      handler: ({ payload }) => void started.push([payload, performance.now()]),
    });
    const items = ['a', 'a', 'a', 'a', 'b'].map((key) => ({ job: 'l', payload: key, rateKey: key }));
    await jobs.enqueueMany(items);
    await jobs.startWorker();
    await jobs.startScheduler(quick);
    await until(() => started.length === 5, 'all ran');
    const times = started.filter(([key]) => key === 'a').map(([, at]) => at);
    // Two at once, then one per half second: by the database's clock, so a little less by ours.
    expect((times[3] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900);
    expect(
      started
        .slice(0, 3)
        .map(([key]) => key)
        .sort(),
    ).toEqual(['a', 'a', 'b']);
  });

  it('that were given to a worker and not started go to another when an operator says so', async () => {
    jobs.define({ name: 'g', concurrency: 'forbid', handler: () => 'ok' });
    await jobs.ready();
    const [silent] = await sql(
      `insert into jobs.workers (name, queue_ids, definition_ids) values ('deaf', '{1}', '{1}') returning id`,
    );
    const { runId } = await jobs.enqueue('g');
    expect(await jobs.reassign(runId)).toEqual({ reassigned: false, reason: 'wrong-state' });
    await jobs.startScheduler(quick);
    await until(async () => (await jobs.read.run(runId))?.state === 'ASSIGNED', 'it is given to the only worker');
    await jobs.startWorker({ heartbeatMs: 50 });
    expect(await jobs.reassign(runId, { by: 'ops' })).toEqual({ reassigned: true });
    await until(async () => (await jobs.read.run(runId))?.state === 'SUCCEEDED', 'another runs it');
    const path = await jobs.read.transitions(runId);
    expect(path.map(({ to }) => to)).toEqual(['ASSIGNED', 'ORPHANED', 'ASSIGNED', 'RUNNING', 'SUCCEEDED']);
    expect(path[0]?.workerId).toBe(silent?.id);
    expect(await jobs.read.run(runId)).toMatchObject({ attempt: 2 });
  });
});

describe('leadership', () => {
  it('a leader leaves the runs to other workers, and works when it is alone', async () => {
    const by: string[] = [];
    jobs.define({ name: 'x', handler: () => void by.push('leader') });
    const second = another();
    second.define({ name: 'x', handler: () => void by.push('worker') });
    // A lease that a busy machine does not lose in between.
    const scheduler = await jobs.startScheduler({ tickMs: 30, leaseTtlMs: 10_000 });
    await jobs.startWorker({ heartbeatMs: 50 });
    await scheduler.untilLeading();
    await jobs.enqueue('x');
    await until(() => by.length === 1, 'alone it does both');
    const helper = await second.startWorker({ heartbeatMs: 50 });
    // The leader hears of the other in the answer to a heartbeat, and has read it when it sends the next one.
    const beats = `select seen_at::text as at from jobs.workers
where leads and seen_at > (select max(registered_at) from jobs.workers)`;
    const seen = new Set<unknown>();
    await until(async () => {
      for (const { at } of await sql(beats)) seen.add(at);
      return seen.size >= 3;
    }, 'the leader knows');
    by.length = 0;
    await jobs.enqueueMany(Array.from({ length: 20 }, () => ({ job: 'x', payload: 0 })));
    await until(() => by.length === 20, 'all ran');
    expect(by.filter((who) => who === 'worker').length).toBeGreaterThanOrEqual(19);
    await helper.stop();
  });

  it('no leader at all: ungated runs go on', async () => {
    let ran = 0;
    jobs.define({ name: 'x', handler: () => void ran++ });
    await jobs.startWorker();
    await jobs.enqueue('x');
    await until(() => ran === 1, 'it ran');
    expect(await jobs.read.runs()).toMatchObject([{ leaderEpoch: 0 }]);
  });

  it('two schedulers of one process and two of others: one leads, its epoch is the fence', async () => {
    const all = [jobs, jobs, another(), another()];
    const schedulers: JobScheduler[] = [];
    for (const one of all) schedulers.push(await one.startScheduler(quick));
    for (let i = 0; i < 3; i++) {
      await until(() => schedulers.filter(({ leading }) => leading).length === 1, 'one leads');
      const leader = schedulers.find(({ leading }) => leading);
      const [fence] = await sql(`select token from jobs.fences where resource = 'jobs'`);
      expect(fence?.token).toBe(leader?.epoch);
      await leader?.stop();
      schedulers.splice(schedulers.indexOf(leader as JobScheduler), 1);
    }
  });

  it('settings are checked, take effect without a restart, and leave an audit row', async () => {
    const second = another();
    await second.startScheduler(quick);
    await expect(jobs.setSetting('worker_silent_after_seconds', 0)).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(jobs.setSetting('nothing' as never, 1 as never)).rejects.toMatchObject({ code: 'invalid-argument' });
    await jobs.setSetting('worker_silent_after_seconds', 2, { by: 'ops', why: 'faster' });
    expect((await second.settings()).worker_silent_after_seconds).toBe(2);
    const [silent] = await sql(
      `insert into jobs.workers (name, seen_at) values ('gone', now() - interval '3 seconds') returning id`,
    );
    await until(
      async () => (await jobs.read.workers()).some(({ id, state }) => id === silent?.id && state === 'STOPPED'),
      'it counts as silent',
    );
    expect(await jobs.read.audit()).toMatchObject([
      {
        actor: 'ops',
        action: 'edit',
        target: 'setting/worker_silent_after_seconds',
        before: null,
        after: 2,
        why: 'faster',
      },
    ]);
  });

  it('a paused queue is left alone', async () => {
    let ran = 0;
    jobs.define({ name: 'x', queue: 'slow', handler: () => void ran++ });
    await jobs.enqueue('x');
    expect(await jobs.pauseQueue('slow', true)).toBe(true);
    await jobs.startWorker({ pollMs: 20 });
    await until(async () => (await jobs.read.workers()).length === 1, 'the worker is there');
    expect(ran).toBe(0);
    expect(await jobs.pauseQueue('slow', false)).toBe(true);
    await until(() => ran === 1, 'it ran');
    expect(await jobs.pauseQueue('none', true)).toBe(false);
  });
});
