/**
 * Every hole that the models found in earlier drafts (test/models, B), acted out on real servers. Each is acted out
 * twice: with the repair nothing happens, and with the repair taken out of the statement the damage is seen. A test
 * that cannot see the damage would prove nothing.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimedRun } from '../../src/systems/jobs/worker/claimed-run.ts';
import { type JobsRig, type JobsServer, openJobsRig, startJobsServer, without } from './jobs-rig.ts';

const silentAfter = 10;
const confirming = 2.4;
const overdueMargin = 10;

describe.each([15, 18] as const)('guards on PostgreSQL %i', (major) => {
  let server: JobsServer;
  const open: JobsRig[] = [];
  beforeAll(async () => {
    server = await startJobsServer(major);
  });
  afterAll(async () => {
    for (const rig of open) await rig.close();
    await server?.stop();
  });

  const openRig = async (plant: Parameters<typeof openJobsRig>[1] = {}): Promise<JobsRig> => {
    const rig = await openJobsRig(server, plant);
    open.push(rig);
    return rig;
  };
  const only = <T>(rows: readonly T[]): T => {
    expect(rows).toHaveLength(1);
    return rows[0] as T;
  };
  /** A worker with one RUNNING run of a job without backoff. */
  const running = async (
    rig: JobsRig,
    options: { readonly timeoutSeconds?: number; readonly maxRetries?: number } = {},
  ): Promise<{ job: number; worker: number; run: ClaimedRun }> => {
    const job = await rig.define({ name: 'job', backoff: { baseMs: 0, maxMs: 0 }, ...options });
    const worker = await rig.worker([job]);
    await rig.enqueue(job);
    return { job, worker, run: only(await rig.claim(worker, job)) };
  };
  const passDeadline = (rig: JobsRig): Promise<unknown> =>
    rig.sql(`update jobs.job_runs set continuation_check_deadline_at = now() - interval '1 second'
where continuation_state = 'CONFIRMING'`);
  const rescue = async (rig: JobsRig, epoch: number): Promise<number> => {
    const [row] = await rig.do<{ ended: number }>('rescueRunning', epoch, silentAfter, overdueMargin, 100);
    return row?.ended ?? 0;
  };
  const beat = (rig: JobsRig, worker: number, ids: readonly number[]): Promise<readonly { id: number | null }[]> =>
    rig.do('heartbeat', worker, `{${ids.join(',')}}`, 0, false, silentAfter, 0);
  const live = async (rig: JobsRig): Promise<number> =>
    only(await rig.sql<{ n: number }>('select count(*)::int as n from jobs.job_runs')).n;

  it('B1 a run on a dead worker is ended by the leader, not only by its worker', async () => {
    const rig = await openRig();
    await rig.raise(1);
    const { worker, run } = await running(rig);
    await rig.silence(worker);
    await rig.do('confirm', 1, silentAfter, confirming);
    await passDeadline(rig);
    expect(await rescue(rig, 1)).toBe(1);
    expect(await rig.row(run.id)).toMatchObject({ state: 'TIMED_OUT', reason: 'worker-silent' });
  });

  it('B2 a silent worker’s run with continuation NONE is asked for', async () => {
    const rig = await openRig();
    await rig.raise(1);
    const { worker, run } = await running(rig);
    await rig.silence(worker);
    // Without the question there is never a deadline to pass, and the run stays for ever.
    await passDeadline(rig);
    expect(await rescue(rig, 1)).toBe(0);
    await rig.do('confirm', 1, silentAfter, confirming);
    expect(await rig.row(run.id)).toMatchObject({ continuation_state: 'CONFIRMING', version: run.version });
  });

  it('B3 a start whose reply was lost is found again', async () => {
    const rig = await openRig();
    const { worker, run } = await running(rig);
    expect(await rig.do('mine', worker)).toMatchObject([{ id: run.id, version: run.version }]);
    const other = await rig.worker([1]);
    expect(await rig.do('mine', other)).toEqual([]);
  });

  it('B4 overdue does not end a run that is CONFIRMING before its deadline', async () => {
    const act = async (rig: JobsRig): Promise<number> => {
      await rig.raise(1);
      const { worker } = await running(rig, { timeoutSeconds: 1 });
      await rig.sql(`update jobs.job_runs set started_at = now() - interval '1 hour'`);
      await rig.silence(worker);
      await rig.do('confirm', 1, silentAfter, confirming);
      return rescue(rig, 1);
    };
    expect(await act(await openRig())).toBe(0);
    const broken = {
      rescueRunning: without(
        `(r.continuation_state <> 'CONFIRMING' or r.continuation_check_deadline_at < now())`,
        'true',
      ),
    };
    expect(await act(await openRig(broken))).toBe(1);
  });

  it('B5 a heartbeat sets CONFIRMING back, so that the next silence has a window of its own', async () => {
    const act = async (rig: JobsRig): Promise<number> => {
      await rig.raise(1);
      const { worker, run } = await running(rig);
      await rig.silence(worker);
      await rig.do('confirm', 1, silentAfter, confirming);
      await beat(rig, worker, [run.id]);
      await passDeadline(rig);
      await rig.silence(worker);
      await rig.do('confirm', 1, silentAfter, confirming);
      return rescue(rig, 1);
    };
    expect(await act(await openRig())).toBe(0);
    const broken = {
      heartbeat: without(
        `set continuation_state = 'NONE', continuation_check_deadline_at = null`,
        'set progress = progress',
      ),
    };
    expect(await act(await openRig(broken))).toBe(1);
  });

  it('B6 a worker that starts again has another id, and its old runs are not kept alive', async () => {
    const rig = await openRig();
    await rig.raise(1);
    const { job, worker, run } = await running(rig);
    const again = await rig.worker([job]);
    expect(again).not.toBe(worker);
    await rig.silence(worker);
    // Under the new id it neither owns the run nor clears its flag.
    await rig.do('confirm', 1, silentAfter, confirming);
    expect(await beat(rig, again, [run.id])).toMatchObject([{ id: null }]);
    await passDeadline(rig);
    expect(await rescue(rig, 1)).toBe(1);
  });

  it('B7 a heartbeat answers with what is still owned', async () => {
    const act = async (rig: JobsRig): Promise<readonly (number | null)[]> => {
      await rig.raise(1);
      const { worker, run } = await running(rig);
      await rig.silence(worker);
      await rig.do('confirm', 1, silentAfter, confirming);
      await passDeadline(rig);
      await rescue(rig, 1);
      const next = await rig.worker([1]);
      await rig.claim(next, 1);
      return (await beat(rig, worker, [run.id, run.id + 1])).map(({ id }) => id);
    };
    expect(await act(await openRig())).toEqual([null]);
    const broken = {
      heartbeat: without(
        `case when r.state = 'RUNNING' and r.assigned_worker_id = $1::bigint then true else false end`,
        'true',
      ),
    };
    expect(await act(await openRig(broken))).not.toEqual([null]);
  });

  it('B8 a requested cancel suppresses the next attempt, whoever ends the run', async () => {
    const act = async (rig: JobsRig): Promise<number> => {
      await rig.raise(1);
      const { worker, run } = await running(rig);
      await rig.do('cancel', run.id, 'me', null);
      await rig.silence(worker);
      await rig.do('confirm', 1, silentAfter, confirming);
      await passDeadline(rig);
      await rescue(rig, 1);
      expect(await rig.row(run.id)).toMatchObject({ state: 'CANCELED' });
      return live(rig);
    };
    expect(await act(await openRig())).toBe(0);
    const broken = { rescueRunning: without('where d.cancel_requested_at is null and', 'where') };
    expect(await act(await openRig(broken))).toBe(1);
    // The same when its worker reports a failure.
    const rig = await openRig();
    const { worker, run } = await running(rig);
    await rig.do('cancel', run.id, 'me', null);
    expect(await rig.finish(run, worker, 'FAILED')).toBe(1);
    expect(await rig.row(run.id)).toMatchObject({ state: 'CANCELED' });
    expect(await live(rig)).toBe(0);
  });

  const gated = async (rig: JobsRig): Promise<{ job: number; worker: number; ids: readonly number[] }> => {
    const job = await rig.define({ name: 'gated', concurrency: 'forbid' });
    const worker = await rig.worker([job]);
    return { job, worker, ids: [await rig.enqueue(job), await rig.enqueue(job)] };
  };

  it('B9 a deposed leader changes nothing: assign, orphan, confirm, rescue, due times, events, skips', async () => {
    const act = async (rig: JobsRig): Promise<readonly unknown[]> => {
      await rig.raise(1);
      await rig.raise(2);
      const { worker, ids } = await gated(rig);
      const assigned = await rig.do('assign', `{${ids[0]}}`, worker, 1);
      const lone = await rig.worker([1]);
      await rig.do('assign', `{${ids[1]}}`, lone, 2);
      await rig.silence(lone);
      const orphaned = await rig.do('orphan', 1, -1, silentAfter);
      await rig.sql(`update jobs.job_runs set state = 'RUNNING' where state = 'ASSIGNED'`);
      const asked = await rig.do('confirm', 1, silentAfter, confirming);
      await rig.do('confirm', 2, silentAfter, confirming);
      await passDeadline(rig);
      const ended = await rescue(rig, 1);
      await rig.do('emitEvent', 'e', 'null', null);
      const [events] = await rig.do<{ events: number }>('processEvents', 1, 10);
      return [assigned.length, orphaned.length, asked.length, ended, events?.events];
    };
    expect(await act(await openRig())).toEqual([0, 0, 0, 0, 0]);
    const noFence = without(`resource = 'jobs' and token = `, `resource = 'jobs' and 0 <= `);
    const broken = { assign: noFence };
    expect((await act(await openRig(broken)))[0]).toBe(1);
    const alsoBroken = { processEvents: noFence };
    expect((await act(await openRig(alsoBroken)))[4]).toBe(1);
  });

  it('B10, B12 a raise waits for the old leader’s statement, and that statement sees the raise', async () => {
    const late = async (rig: JobsRig): Promise<{ order: readonly string[]; changed: number }> => {
      await rig.raise(1);
      const { worker, ids } = await gated(rig);
      const order: string[] = [];
      let raised: Promise<unknown> = Promise.resolve();
      let changed = 0;
      await rig.database.transaction(async (tx) => {
        const statement = rig.statements.assign(`{${ids[0]}}`, worker, 1);
        const text = plantedText(rig, statement.text);
        changed = (await tx.query({ text, values: statement.values ?? [] })).rows.length;
        raised = rig.raise(2).then(() => order.push('raised'));
        // The raise cannot be seen from here; give it the time it would need if nothing held it back.
        for (let i = 0; i < 30; i++) await rig.sql('select pg_sleep(0.01)');
        order.push('committing');
      });
      await raised;
      return { order, changed };
    };
    const planted = new WeakSet<JobsRig>();
    const plantedText = (rig: JobsRig, text: string): string =>
      planted.has(rig) ? text.replace(' for share', '') : text;
    expect(await late(await openRig())).toEqual({ order: ['committing', 'raised'], changed: 1 });
    const broken = await openRig();
    planted.add(broken);
    // With a plain sub-select the new leader begins to read while the old one still writes.
    expect((await late(broken)).order).toEqual(['raised', 'committing']);
  });

  it('B11 the fence is never lowered', async () => {
    const rig = await openRig();
    expect(await rig.raise(2)).toBe(true);
    expect(await rig.raise(1)).toBe(false);
    expect(await rig.raise(2)).toBe(true);
    const broken = await openRig({ raiseFence: without('where f.token <= excluded.token') });
    await broken.raise(2);
    expect(await broken.raise(1)).toBe(true);
  });

  it('B13 one active run per key, even when two workers claim at once: the index is the last word', async () => {
    const rig = await openRig();
    const job = await rig.define({ name: 'job' });
    // As if the gate had failed: two runs of one key that workers may take themselves.
    for (let i = 0; i < 2; i++)
      await rig.sql(
        `insert into jobs.job_runs (job_definition_id, queue_id, concurrency_key) values ($1, 1, 'k:a')`,
        job,
      );
    const workers = [await rig.worker([job]), await rig.worker([job])];
    const claims = await Promise.allSettled(workers.map((worker) => rig.claim(worker, job)));
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await rig.sql(`select id from jobs.job_runs where state = 'RUNNING'`)).toHaveLength(1);
    await rig.sql('drop index jobs.job_runs_exclusive');
    await rig.claim(workers[0] ?? 0, job, 2);
    expect(await rig.sql(`select id from jobs.job_runs where state = 'RUNNING'`)).toHaveLength(2);
  });

  it('B14 one successor, whoever ends the run at the same time', async () => {
    const rig = await openRig();
    await rig.raise(1);
    for (let round = 0; round < 10; round++) {
      await rig.sql('delete from jobs.job_runs');
      const { worker, run } = await running(rig);
      await rig.silence(worker);
      await rig.do('confirm', 1, silentAfter, confirming);
      await passDeadline(rig);
      // Two leaders' statements of one epoch, and the worker itself.
      await Promise.all([rescue(rig, 1), rescue(rig, 1), rig.finish(run, worker, 'FAILED')]);
      expect(await rig.sql('select id from jobs.job_runs where retry_of = $1', run.id)).toHaveLength(1);
    }
    const [row] = await rig.sql<{ retry_of: number }>('select retry_of from jobs.job_runs');
    const insert = 'insert into jobs.job_runs (job_definition_id, queue_id, retry_of) values (1, 1, $1)';
    await expect(rig.sql(insert, row?.retry_of)).rejects.toThrow(/job_runs_retry/);
  });

  it('B15 a start token is never used twice and grows, over retries and epochs', async () => {
    const rig = await openRig();
    const { job, worker, run } = await running(rig);
    await rig.finish(run, worker, 'FAILED');
    await rig.raise(7);
    const next = only(await rig.claim(worker, job));
    expect(next).toMatchObject({ attempt: 2, leader_epoch: 7 });
    expect(next.start_token).toBeGreaterThan(run.start_token);
  });

  it('B16, B17 an ASSIGNED run of a draining worker is orphaned, and an ORPHANED one is given out again', async () => {
    const act = async (rig: JobsRig): Promise<unknown> => {
      await rig.raise(1);
      const { job, worker, ids } = await gated(rig);
      await rig.do('assign', `{${ids[0]}}`, worker, 1);
      await rig.do('changeWorker', worker, 'DRAINING', 0, 'me', null);
      await rig.do('orphan', 1, -1, silentAfter);
      const other = await rig.worker([job]);
      await rig.do('assign', `{${ids[0]}}`, other, 1);
      const row = await rig.row(ids[0] ?? 0);
      return [row?.state, row?.attempt, row?.version, row?.assigned_worker_id === other];
    };
    expect(await act(await openRig())).toEqual(['ASSIGNED', 2, 4, true]);
    expect(await act(await openRig({ orphan: without(`or w.state <> 'ACTIVE'`) }))).toEqual(['ASSIGNED', 1, 2, false]);
    const pendingOnly = without(
      `r.state in ('PENDING', 'ORPHANED') and r.gate = 1`,
      `r.state = 'PENDING' and r.gate = 1`,
    );
    expect(await act(await openRig({ assign: pendingOnly }))).toEqual(['ORPHANED', 1, 3, false]);
  });

  it('B18 a run is ended in a later epoch than it was started in', async () => {
    const act = async (rig: JobsRig): Promise<number> => {
      await rig.raise(1);
      const { worker, run } = await running(rig);
      await rig.raise(2);
      return rig.finish(run, worker);
    };
    expect(await act(await openRig())).toBe(1);
    const misread = without('r.leader_epoch = $3::bigint', `r.leader_epoch = (select token from fences_now)`);
    const broken = await openRig({
      finish: (text) =>
        misread(text).replace(
          'with d as',
          `with fences_now as (select token from ${/"\w+"/.exec(text)?.[0]}.fences where resource = 'jobs' and $3::bigint > 0), d as`,
        ),
    });
    expect(await act(broken)).toBe(0);
  });

  it('flags leave the version alone: cancel, CONFIRMING and progress do not refuse the worker’s finish', async () => {
    const act = async (rig: JobsRig): Promise<number> => {
      await rig.raise(1);
      const { worker, run } = await running(rig);
      await rig.do('setProgress', worker, JSON.stringify([{ id: run.id, progress: 0.5 }]));
      await rig.do('cancel', run.id, 'me', null);
      await rig.silence(worker);
      await rig.do('confirm', 1, silentAfter, confirming);
      return rig.finish(run, worker);
    };
    expect(await act(await openRig())).toBe(1);
    expect(
      await act(
        await openRig({
          confirm: without(`set continuation_state`, 'set version = r.version + 1, continuation_state'),
        }),
      ),
    ).toBe(0);
  });

  it('due times: the cursor moves in the statement that inserts, and a due time has one row', async () => {
    const rig = await openRig();
    await rig.raise(1);
    const job = await rig.define({ name: 'due', schedule: { kind: 'every', minutes: 1 } });
    const at = 60_000;
    const slots = JSON.stringify([{ at, outcome: 'fired', reason: null, fire: true }]);
    await rig.sql(`update jobs.job_definitions set schedule_cursor = to_timestamp(0)`);
    const record = (epoch: number, cursor: number): Promise<readonly unknown[]> =>
      rig.do('recordDue', epoch, job, cursor, at, null, slots);
    // Two leaders that read the same cursor; then one that is deposed; then one whose cursor is old.
    const both = await Promise.all([record(1, 0), record(1, 0)]);
    expect(
      both
        .flat()
        .map((row) => (row as { runs: number }).runs)
        .sort(),
    ).toEqual([0, 1]);
    await rig.raise(2);
    await rig.sql(`update jobs.job_definitions set schedule_cursor = to_timestamp(0)`);
    expect(await record(1, 0)).toMatchObject([{ moved: 0, slots: 0, runs: 0 }]);
    // The cursor was moved back by hand: the slot's row stands against a second run.
    expect(await record(2, 0)).toMatchObject([{ moved: 1, slots: 0, runs: 0 }]);
    expect(await rig.sql('select 1 from jobs.job_runs')).toHaveLength(1);
    const broken = await openRig({ recordDue: without('on conflict (job_definition_id, scheduled_for) do nothing') });
    await broken.raise(1);
    const again = await broken.define({ name: 'due', schedule: { kind: 'every', minutes: 1 } });
    await broken.sql('alter table jobs.job_slots drop constraint job_slots_pkey');
    for (let i = 0; i < 2; i++) {
      await broken.sql(`update jobs.job_definitions set schedule_cursor = to_timestamp(0)`);
      await broken.do('recordDue', 1, again, 0, at, null, slots);
    }
    expect(await broken.sql('select 1 from jobs.job_runs')).toHaveLength(2);
  });

  it('a finish is refused with its reason, and the refusal is kept', async () => {
    const rig = await openRig();
    await rig.raise(1);
    const { job, worker, run } = await running(rig);
    const other = await rig.worker([job]);
    const why = async (changed: Partial<ClaimedRun>, by = worker): Promise<unknown> => {
      const wanted = { ...run, ...changed };
      expect(await rig.finish(wanted, by)).toBe(0);
      return (
        await rig.do<{ reason: string }>(
          'refused',
          `{${wanted.id}}`,
          by,
          wanted.leader_epoch,
          wanted.version,
          wanted.attempt,
          'SUCCEEDED',
        )
      ).map(({ reason }) => reason);
    };
    expect(await why({ id: 999 })).toEqual(['not-found']);
    expect(await why({}, other)).toEqual(['wrong-worker']);
    expect(await why({ leader_epoch: 0 })).toEqual(['stale-epoch']);
    expect(await why({ version: 2 })).toEqual(['stale-version']);
    expect(await why({ attempt: 2 })).toEqual(['stale-version']);
    expect(await rig.finish(run, worker)).toBe(1);
    // Its reply was lost and it is sent again: that is no refusal.
    expect(await why({})).toEqual([]);
    expect(await rig.sql('select reason from jobs.job_refusals order by id')).toHaveLength(5);
  });

  it('no start right, no start: wrong worker, old version, twice, canceled', async () => {
    const rig = await openRig();
    await rig.raise(1);
    const { job, worker, ids } = await gated(rig);
    const other = await rig.worker([job]);
    const [id = 0, second = 0] = ids;
    const given = only(await rig.do<{ version: number }>('assign', `{${id}}`, worker, 1));
    expect(await rig.do('start', `{${id}}`, other, given.version)).toEqual([]);
    expect(await rig.do('start', `{${id}}`, worker, given.version - 1)).toEqual([]);
    expect(await rig.do('start', `{${id}}`, worker, given.version)).toHaveLength(1);
    expect(await rig.do('start', `{${id}}`, worker, given.version)).toEqual([]);
    // The key is busy: the second is not given out, whoever asks.
    expect(await rig.do('assign', `{${second}}`, other, 1)).toEqual([]);
    expect(await rig.do('cancel', second, 'me', null)).toMatchObject([{ outcome: 'canceled' }]);
    expect(await rig.row(second)).toMatchObject({ state: 'CANCELED' });
  });

  it('a run reassigned twice shows all its workers and times', async () => {
    const rig = await openRig();
    await rig.raise(1);
    const { job, worker, ids } = await gated(rig);
    const [id = 0] = ids;
    const workers = [worker, await rig.worker([job]), await rig.worker([job])];
    for (const each of workers) {
      await rig.do('assign', `{${id}}`, each, 1);
      if (each === workers.at(-1)) break;
      await rig.silence(each);
      await rig.do('orphan', 1, -1, silentAfter);
    }
    const path = await rig.sql<{ to_state: string; worker_id: number; attempt: number; at: unknown }>(
      'select to_state, worker_id, attempt, at from jobs.job_run_transitions where run_id = $1 order by version',
      id,
    );
    expect(path.map(({ to_state: to, worker_id: by, attempt }) => [to, by, attempt])).toEqual([
      ['ASSIGNED', workers[0], 1],
      ['ORPHANED', workers[0], 1],
      ['ASSIGNED', workers[1], 2],
      ['ORPHANED', workers[1], 2],
      ['ASSIGNED', workers[2], 3],
    ]);
    expect(path.every(({ at }) => at !== null)).toBe(true);
  });

  it('nothing is claimed by a worker that is not active, from a paused queue, or without a handler', async () => {
    const rig = await openRig();
    const job = await rig.define({ name: 'job' });
    const worker = await rig.worker([job]);
    await rig.enqueue(job);
    expect(await rig.claim(worker, 999)).toEqual([]);
    await rig.sql('update jobs.queues set paused = true');
    expect(await rig.claim(worker, job)).toEqual([]);
    await rig.sql('update jobs.queues set paused = false');
    await rig.do('changeWorker', worker, 'DETACHED', confirming, 'me', null);
    expect(await rig.claim(worker, job)).toEqual([]);
    expect(await rig.claim(await rig.worker([job]), job)).toHaveLength(1);
  });
});
