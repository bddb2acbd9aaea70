/**
 * Every hole that the models found in earlier drafts (test/models, B), acted out on a real server. Each is acted out
 * twice: with the repair nothing happens, and with the repair taken out of the statement the damage is seen. A test
 * that cannot see the damage would prove nothing.
 */
import { expect, it } from 'vitest';
import type { ClaimedRun } from '../../src/systems/jobs/worker/claimed-run.ts';
import { beat, confirming, gated, live, only, passDeadline, rescue, running, silentAfter } from './guard-acts.ts';
import { type JobsRig, type JobsRigs, type Row, without } from './jobs-rig.ts';

export function testModelHoles(rigs: () => JobsRigs): void {
  it('B1 a run on a dead worker is ended by the leader, not only by its worker', async () => {
    const act = async (rig: JobsRig): Promise<Row | undefined> => {
      await rig.raise(1);
      const { worker, run } = await running(rig);
      await rig.silence(worker);
      await rig.do('confirm', 1, silentAfter, confirming);
      await passDeadline(rig);
      await rescue(rig, 1);
      return rig.row(run.id);
    };
    expect(await act(await rigs().next())).toMatchObject({ state: 'TIMED_OUT', reason: 'worker-silent' });
    const broken = {
      rescueRunning: without('or w.seen_at < now() - make_interval(secs => $2::float8))', 'and $2::float8 >= 0)'),
    };
    // Its worker is dead: it stays for ever.
    expect(await act(await rigs().next(broken))).toMatchObject({ state: 'RUNNING' });
  });

  it('B2 a silent worker’s run with continuation NONE is asked for', async () => {
    const act = async (rig: JobsRig): Promise<readonly [unknown, number]> => {
      await rig.raise(1);
      const { worker, run } = await running(rig);
      await rig.silence(worker);
      await rig.do('confirm', 1, silentAfter, confirming);
      const asked = await rig.row(run.id);
      expect(asked?.version).toBe(run.version);
      await passDeadline(rig);
      return [asked?.continuation_state, await rescue(rig, 1)];
    };
    expect(await act(await rigs().next())).toEqual(['CONFIRMING', 1]);
    // Without the question there is never a deadline to pass, and the run stays for ever.
    const broken = { confirm: without(`r.continuation_state = 'NONE'`, `r.continuation_state = 'CONFIRMING'`) };
    expect(await act(await rigs().next(broken))).toEqual(['NONE', 0]);
  });

  it('B3 a start whose reply was lost is found again', async () => {
    const act = async (rig: JobsRig): Promise<unknown> => {
      await rig.raise(1);
      const { worker, run } = await running(rig);
      // The reply was lost: all that the worker knows is what it can ask for.
      const mine = await rig.do<ClaimedRun>('mine', worker);
      for (const each of mine) await rig.finish(each, worker);
      expect(await rig.do('mine', await rig.worker([1]))).toEqual([]);
      // It lives and beats, so nobody else may end the run.
      await beat(rig, worker, []);
      await rig.do('confirm', 1, silentAfter, confirming);
      await passDeadline(rig);
      await rescue(rig, 1);
      return (await rig.row(run.id))?.state;
    };
    expect(await act(await rigs().next())).toBe('SUCCEEDED');
    const broken = { mine: without(`state = 'RUNNING'`, `state = 'ASSIGNED'`) };
    expect(await act(await rigs().next(broken))).toBe('RUNNING');
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
    expect(await act(await rigs().next())).toBe(0);
    const broken = {
      rescueRunning: without(
        `(r.continuation_state <> 'CONFIRMING' or r.continuation_check_deadline_at < now())`,
        'true',
      ),
    };
    expect(await act(await rigs().next(broken))).toBe(1);
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
    expect(await act(await rigs().next())).toBe(0);
    const broken = {
      heartbeat: without(
        `set continuation_state = 'NONE', continuation_check_deadline_at = null`,
        'set progress = progress',
      ),
    };
    expect(await act(await rigs().next(broken))).toBe(1);
  });

  it('B6 a worker that starts again has another id, and its old runs are not kept alive', async () => {
    const act = async (rig: JobsRig): Promise<number> => {
      await rig.raise(1);
      const { job, worker, run } = await running(rig);
      await rig.silence(worker);
      // The new process knows nothing of the run; even if it did, it would not be its own.
      const again = await rig.worker([job]);
      const owned = await beat(rig, again, again === worker ? [] : [run.id]);
      expect(owned).toMatchObject([{ id: null }]);
      await rig.do('confirm', 1, silentAfter, confirming);
      await passDeadline(rig);
      return rescue(rig, 1);
    };
    expect(await act(await rigs().next())).toBe(1);
    const sameId = (text: string): string => `
with old as (
  update ${/"\w+"/.exec(text)?.[0]}.workers set seen_at = now() where name = $1::text returning id
), new as (${text.replace(/values \((.*)\)/, 'select $1 where not exists (select from old)')})
select id from old union all select id from new`;
    // The heartbeat of the new process keeps the run of the old one alive, for ever.
    expect(await act(await rigs().next({ registerWorker: sameId }))).toBe(0);
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
    expect(await act(await rigs().next())).toEqual([null]);
    const broken = {
      heartbeat: without(
        `case when r.state = 'RUNNING' and r.assigned_worker_id = $1::bigint then true else false end`,
        'true',
      ),
    };
    expect(await act(await rigs().next(broken))).not.toEqual([null]);
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
    expect(await act(await rigs().next())).toBe(0);
    const broken = { rescueRunning: without('where d.cancel_requested_at is null and', 'where') };
    expect(await act(await rigs().next(broken))).toBe(1);
    // The same when its worker reports a failure.
    const rig = await rigs().next();
    const { worker, run } = await running(rig);
    await rig.do('cancel', run.id, 'me', null);
    expect(await rig.finish(run, worker, 'FAILED')).toBe(1);
    expect(await rig.row(run.id)).toMatchObject({ state: 'CANCELED' });
    expect(await live(rig)).toBe(0);
  });

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
    expect(await act(await rigs().next())).toEqual([0, 0, 0, 0, 0]);
    const noFence = without(`resource = 'jobs' and token = `, `resource = 'jobs' and 0 <= `);
    const broken = { assign: noFence };
    expect((await act(await rigs().next(broken)))[0]).toBe(1);
    const alsoBroken = { processEvents: noFence };
    expect((await act(await rigs().next(alsoBroken)))[4]).toBe(1);
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
    expect(await late(await rigs().next())).toEqual({ order: ['committing', 'raised'], changed: 1 });
    const broken = await rigs().next();
    planted.add(broken);
    // With a plain sub-select the new leader begins to read while the old one still writes.
    expect((await late(broken)).order).toEqual(['raised', 'committing']);
  });

  it('B11 the fence is never lowered', async () => {
    const rig = await rigs().next();
    expect(await rig.raise(2)).toBe(true);
    expect(await rig.raise(1)).toBe(false);
    expect(await rig.raise(2)).toBe(true);
    const broken = await rigs().next({ raiseFence: without('where f.token <= excluded.token') });
    await broken.raise(2);
    expect(await broken.raise(1)).toBe(true);
  });

  it('B13 one active run per key, even when two workers claim at once: the index is the last word', async () => {
    const rig = await rigs().alone();
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
    const rig = await rigs().alone();
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
    // Without the index a second statement, of whoever read before, makes a second one.
    await rig.sql('drop index jobs.job_runs_retry');
    await rig.sql(insert, row?.retry_of);
    expect(await rig.sql('select id from jobs.job_runs where retry_of = $1', row?.retry_of)).toHaveLength(2);
  });

  it('B15 a start token is never used twice and grows, over retries, epochs and runs', async () => {
    const act = async (rig: JobsRig): Promise<readonly number[]> => {
      const { job, worker, run } = await running(rig);
      await rig.finish(run, worker, 'FAILED');
      await rig.raise(7);
      const next = only(await rig.claim(worker, job));
      expect(next).toMatchObject({ attempt: 2, leader_epoch: 7 });
      await rig.enqueue(job);
      const other = only(await rig.claim(worker, job));
      await rig.finish(other, worker, 'FAILED');
      const last = only(await rig.claim(worker, job));
      return [run, next, other, last].map(({ start_token: token }) => token);
    };
    const grows = (tokens: readonly number[]): boolean =>
      tokens.every((token, i) => i === 0 || token > (tokens[i - 1] ?? 0));
    expect(grows(await act(await rigs().next()))).toBe(true);
    const counted = {
      claim: (text: string) => text.replace(/nextval\('[^']+'\)/, '(select epoch from me) * 1000 + r.attempt'),
    };
    const tokens = await act(await rigs().next(counted));
    // The second attempts of two runs: a target that compares would take the one for the other.
    expect(tokens[3]).toBe(tokens[1]);
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
    expect(await act(await rigs().next())).toEqual(['ASSIGNED', 2, 4, true]);
    expect(await act(await rigs().next({ orphan: without(`or w.state <> 'ACTIVE'`) }))).toEqual([
      'ASSIGNED',
      1,
      2,
      false,
    ]);
    const pendingOnly = without(
      `r.state in ('PENDING', 'ORPHANED') and r.gate = 1`,
      `r.state = 'PENDING' and r.gate = 1`,
    );
    expect(await act(await rigs().next({ assign: pendingOnly }))).toEqual(['ORPHANED', 1, 3, false]);
  });

  it('B18 a run is ended in a later epoch than it was started in', async () => {
    const act = async (rig: JobsRig): Promise<number> => {
      await rig.raise(1);
      const { worker, run } = await running(rig);
      await rig.raise(2);
      return rig.finish(run, worker);
    };
    expect(await act(await rigs().next())).toBe(1);
    const misread = without('r.leader_epoch = $3::bigint', `r.leader_epoch = (select token from fences_now)`);
    const broken = await rigs().next({
      finish: (text) =>
        misread(text).replace(
          'with d as',
          `with fences_now as (select token from ${/"\w+"/.exec(text)?.[0]}.fences where resource = 'jobs' and $3::bigint > 0), d as`,
        ),
    });
    expect(await act(broken)).toBe(0);
  });
}
