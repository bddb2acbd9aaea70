/** Workers of `createJobs` on a real server whose replies get lost, that stop, or that are cut off. */
import { describe, expect, it } from 'vitest';
import { createJobs } from '../../src/systems/jobs/index.ts';
import { gate, until } from './until.ts';
import { noDelay, type WorkerRig } from './worker-rig.ts';

export function describeWorkerFaults(rig: WorkerRig): void {
  describe('lost replies', () => {
    const onceLost = (verb: string): void => {
      let lost = false;
      rig.database.fault = (sent) => {
        if (sent !== verb || lost) return undefined;
        lost = true;
        return 'lost-reply';
      };
    };

    it('of a claim: what was started is found and run, once', async () => {
      let runs = 0;
      rig.jobs.define({ name: 'x', handler: () => void runs++ });
      const { runId } = await rig.jobs.enqueue('x');
      onceLost('claim');
      await rig.jobs.startWorker();
      expect(await rig.ended(runId)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
      expect(runs).toBe(1);
      expect(rig.database.sent.get('mine')).toBe(1);
    });

    it('of a finish: it is sent again and is no refusal', async () => {
      rig.jobs.define({ name: 'x', handler: () => 'ok' });
      const { runId } = await rig.jobs.enqueue('x');
      onceLost('finish');
      const worker = await rig.jobs.startWorker();
      expect(await rig.ended(runId)).toMatchObject({ state: 'SUCCEEDED', result: 'ok' });
      await worker.drain();
      expect(rig.database.sent.get('finish')).toBe(2);
      expect(await rig.jobs.read.refusals()).toEqual([]);
    });

    it('of a failing finish: one next attempt', async () => {
      rig.jobs.define({
        name: 'x',
        maxRetries: 1,
        backoff: noDelay,
        handler: ({ run }) => {
          if (run.attempt === 1) throw new Error('no');
        },
      });
      const { runId } = await rig.jobs.enqueue('x');
      onceLost('finishFailed');
      await rig.jobs.startWorker();
      expect(await rig.ended(runId)).toMatchObject({ state: 'FAILED' });
      expect(await rig.ended((await rig.successorOf(runId)) ?? 0)).toMatchObject({ state: 'SUCCEEDED', attempt: 2 });
    });

    it('of a start: the run that the leader gave is run, once', async () => {
      let runs = 0;
      rig.jobs.define({ name: 'x', concurrency: 'forbid', handler: () => void runs++ });
      const { runId } = await rig.jobs.enqueue('x');
      onceLost('start');
      await rig.jobs.startWorker({ heartbeatMs: 100 });
      await rig.jobs.startScheduler({ tickMs: 50 });
      expect(await rig.ended(runId)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
      expect(runs).toBe(1);
    });
  });

  describe('a worker that stops', () => {
    it('finishes what it has, and takes nothing more', async () => {
      const go = gate();
      const started = gate();
      rig.jobs.define({
        name: 'x',
        handler: async () => {
          started.open();
          await go.opened;
        },
      });
      const first = await rig.jobs.enqueue('x');
      const worker = await rig.jobs.startWorker({ concurrency: 1 });
      await started.opened;
      const stopped = worker.stop();
      const second = await rig.jobs.enqueue('x');
      go.open();
      await stopped;
      expect(await rig.jobs.read.run(first.runId)).toMatchObject({ state: 'SUCCEEDED' });
      expect(await rig.jobs.read.run(second.runId)).toMatchObject({ state: 'PENDING' });
      expect(await rig.jobs.read.workers()).toMatchObject([{ state: 'STOPPED' }]);
    });

    it('tells handlers to stop when its time is up; their runs have a next attempt', async () => {
      const started = gate();
      rig.jobs.define({
        name: 'x',
        handler: ({ signal }) =>
          new Promise((_, reject) => {
            started.open();
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      });
      const { runId } = await rig.jobs.enqueue('x');
      const worker = await rig.jobs.startWorker();
      await started.opened;
      await worker.stop({ timeoutMs: 0 });
      expect(await rig.jobs.read.run(runId)).toMatchObject({ state: 'FAILED', reason: 'worker-stopped' });
      expect(await rig.jobs.read.run((await rig.successorOf(runId)) ?? 0)).toMatchObject({
        state: 'PENDING',
        attempt: 2,
      });
    });
  });

  describe('a worker that is cut off', () => {
    const fast = async (): Promise<void> => {
      await rig.jobs.setSetting('worker_silent_after_seconds', 1);
      await rig.jobs.setSetting('continuation_margin_seconds', 0.3);
      await rig.jobs.setSetting('continuation_retry_interval_seconds', 0.1);
    };

    it('stops what it runs before it is given to another, and its late word is refused and recorded', async () => {
      const started = gate();
      const aborted = gate<unknown>();
      rig.jobs.define({
        name: 'x',
        backoff: noDelay,
        handler: ({ run, signal }) =>
          run.attempt > 1
            ? 'second'
            : new Promise((_, reject) => {
                started.open();
                signal.addEventListener('abort', () => {
                  aborted.open(signal.reason);
                  reject(signal.reason);
                });
              }),
      });
      await fast();
      const { runId } = await rig.jobs.enqueue('x');
      await rig.jobs.startWorker({ heartbeatMs: 100 });
      await started.opened;
      const other = createJobs({ database: rig.real, logs: false });
      other.define({ name: 'x', backoff: noDelay, handler: () => 'second' });
      await other.startScheduler({ tickMs: 50 });
      await other.startWorker();
      rig.database.fault = () => 'cut';
      expect(await aborted.opened).toMatchObject({
        code: 'aborted',
        message: expect.stringContaining('cannot confirm'),
      });
      expect(await ended2(runId)).toMatchObject({ state: 'TIMED_OUT', reason: 'worker-silent' });
      const next = (await rig.successorOf(runId)) ?? 0;
      await until(async () => (await other.read.run(next))?.state === 'SUCCEEDED', 'another ran it');
      rig.database.fault = () => undefined;
      await until(async () => (await other.read.refusals({ runId })).length === 1, 'the late finish is refused');
      expect(await other.read.refusals({ runId })).toMatchObject([{ wanted: 'FAILED', reason: 'wrong-state' }]);
      await other.close();

      async function ended2(id: number): Promise<unknown> {
        await until(async () => (await other.read.run(id))?.finishedAtMs != null, `run ${id} ends`);
        return other.read.run(id);
      }
    });

    it('and comes back in time finishes its own attempt; nothing is reassigned while CONFIRMING', async () => {
      const started = gate();
      const go = gate();
      rig.jobs.define({
        name: 'x',
        handler: async ({ signal }) => {
          started.open();
          await go.opened;
          return signal.aborted;
        },
      });
      await fast();
      await rig.jobs.setSetting('continuation_margin_seconds', 30);
      const { runId } = await rig.jobs.enqueue('x');
      await rig.jobs.startWorker({ heartbeatMs: 100 });
      await started.opened;
      const other = createJobs({ database: rig.real, logs: false });
      await other.startScheduler({ tickMs: 50 });
      rig.database.fault = (verb) => (verb === 'heartbeat' ? 'cut' : undefined);
      await until(async () => (await other.read.run(runId))?.continuation === 'CONFIRMING', 'it is asked');
      expect(await other.read.run(runId)).toMatchObject({ state: 'RUNNING', version: 3 });
      rig.database.fault = () => undefined;
      await until(async () => (await other.read.run(runId))?.continuation === 'NONE', 'it confirms');
      go.open();
      expect(await rig.ended(runId)).toMatchObject({ state: 'SUCCEEDED', attempt: 1, result: false });
      await other.close();
    });

    it('detached by an operator: it confirms, finishes its own, and gets nothing more until it rejoins', async () => {
      const started = gate();
      const go = gate();
      rig.jobs.define({
        name: 'x',
        handler: async () => {
          started.open();
          await go.opened;
        },
      });
      const { runId } = await rig.jobs.enqueue('x');
      const worker = await rig.jobs.startWorker({ heartbeatMs: 100 });
      await rig.jobs.startScheduler({ tickMs: 50 });
      await started.opened;
      expect(await rig.jobs.detach(worker.id, { by: 'ops' })).toBe(true);
      await until(() => worker.state === 'detached', 'it hears');
      await until(async () => (await rig.jobs.read.run(runId))?.continuation === 'NONE', 'it confirms');
      const second = await rig.jobs.enqueue('x');
      go.open();
      expect(await rig.ended(runId)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
      expect(await rig.jobs.read.run(second.runId)).toMatchObject({ state: 'PENDING' });
      const before = worker.id;
      await worker.rejoin();
      expect(worker.id).not.toBe(before);
      expect(await rig.ended(second.runId)).toMatchObject({ state: 'SUCCEEDED', workerId: worker.id });
      expect(await rig.jobs.read.audit()).toMatchObject([
        { action: 'detach', target: `worker/${before}`, before: { state: 'ACTIVE' } },
      ]);
    });

    it('loses a run by the word of the database: the handler is told, and writes nothing', async () => {
      const started = gate();
      const reason = gate<unknown>();
      rig.jobs.define({
        name: 'x',
        handler: ({ signal }) =>
          new Promise((resolve) => {
            started.open();
            signal.addEventListener('abort', () => {
              reason.open(signal.reason);
              resolve('late');
            });
          }),
      });
      const { runId } = await rig.jobs.enqueue('x');
      await rig.jobs.startWorker({ heartbeatMs: 50 });
      await started.opened;
      await rig.real.query({ text: `update "${rig.real.schema}".job_runs set assigned_worker_id = 999` });
      expect(await reason.opened).toMatchObject({ message: expect.stringContaining('no longer this worker’s') });
      expect(await rig.jobs.read.run(runId)).toMatchObject({ state: 'RUNNING', workerId: 999 });
    });
  });
}
