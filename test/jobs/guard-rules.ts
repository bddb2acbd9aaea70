/** Rules of the statements that are no hole of a model: what is refused, with which reason, and what is kept. */
import { expect, it } from 'vitest';
import type { ClaimedRun } from '../../src/systems/jobs/worker/claimed-run.ts';
import { confirming, gated, only, running, silentAfter } from './guard-acts.ts';
import { type JobsRig, type JobsRigs, without } from './jobs-rig.ts';

export function testGuardRules(rigs: () => JobsRigs): void {
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
    expect(await act(await rigs().next())).toBe(1);
    expect(
      await act(
        await rigs().next({
          confirm: without(`set continuation_state`, 'set version = r.version + 1, continuation_state'),
        }),
      ),
    ).toBe(0);
  });

  it('due times: the cursor moves in the statement that inserts, and a due time has one row', async () => {
    const rig = await rigs().next();
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
    const broken = await rigs().alone({
      recordDue: without('on conflict (job_definition_id, scheduled_for) do nothing'),
    });
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
    const rig = await rigs().next();
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
    const rig = await rigs().next();
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
    const rig = await rigs().next();
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
    const rig = await rigs().next();
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
}
