/**
 * Two leaders and four workers do what comes into their minds, several at once, and often with rights that are over:
 * old versions, old epochs, other workers' runs. What they believe is kept here; what is true only the journal knows.
 */
import type { ClaimedRun } from '../../src/systems/jobs/worker/claimed-run.ts';
import { seededRandom } from '../../src/testing/index.ts';
import type { AcceptedFinish, AcceptedStart } from './check-journal.ts';
import type { JobsRig } from './jobs-rig.ts';

export interface RandomOperations {
  readonly finishes: readonly AcceptedFinish[];
  readonly starts: readonly AcceptedStart[];
  readonly counts: ReadonlyMap<string, number>;
}

export interface RandomOperationsOptions {
  readonly rig: JobsRig;
  readonly seed: number;
  /** So many times, several operations at once. */
  readonly rounds: number;
  readonly maxRetries: number;
}

interface Believed {
  readonly run: ClaimedRun;
  readonly workerId: number;
}

export async function doRandomOperations(options: RandomOperationsOptions): Promise<RandomOperations> {
  const { rig, seed, rounds, maxRetries } = options;
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random.fraction() * items.length)];
  const chance = (p: number): boolean => random.fraction() < p;
  const finishes: AcceptedFinish[] = [];
  const starts: AcceptedStart[] = [];
  const counts = new Map<string, number>();
  const count = (name: string, n: number): void => void counts.set(name, (counts.get(name) ?? 0) + n);

  const backoff = { baseMs: 0, maxMs: 0 };
  const free = await rig.define({ name: 'free', maxRetries, backoff, timeoutSeconds: 3_600 });
  const single = await rig.define({ name: 'single', maxRetries, backoff, concurrency: 'forbid' });
  const jobs = [free, single];
  const workers: number[] = [];
  for (let i = 0; i < 4; i++) workers.push(await rig.worker(jobs));
  const epochs = [1, 1];
  let newest = 1;
  await rig.raise(newest);
  const believed: Believed[] = [];
  const given: { id: number; version: number; workerId: number }[] = [];

  const accepted = async ({ run, workerId }: Believed, state: string): Promise<void> => {
    if ((await rig.finish(run, workerId, state)) !== 1) {
      count('finish refused', 1);
      return;
    }
    count('finish', 1);
    finishes.push({ runId: run.id, workerId, epoch: run.leader_epoch, version: run.version, attempt: run.attempt });
  };

  const operations: readonly (() => Promise<void>)[] = [
    async () => void (await rig.enqueue(free)),
    async () => void (await rig.enqueue(single)),
    async () => void (await rig.enqueue(free, { c: pick(['a', 'b']) })),
    async () => {
      const workerId = pick(workers) ?? 0;
      const runs = await rig.claim(workerId, free, 1 + Math.floor(random.fraction() * 3));
      count('claimed', runs.length);
      starts.push(...runs.map(({ id, version: now }) => ({ runId: id, workerId, version: now })));
      believed.push(...runs.map((run) => ({ run, workerId })));
    },
    async () => {
      const one = pick(given);
      if (!one) return;
      const workerId = chance(0.8) ? one.workerId : (pick(workers) ?? 0);
      const version = chance(0.9) ? one.version : one.version - 1;
      const runs = await rig.do<ClaimedRun>('start', `{${one.id}}`, workerId, version);
      count('started', runs.length);
      starts.push(...runs.map(({ id, version: now }) => ({ runId: id, workerId, version: now })));
      believed.push(...runs.map((run) => ({ run, workerId })));
    },
    async () => {
      // What it believes may long be over: it keeps its beliefs, so the same finish comes again and again.
      const one = pick(believed);
      if (one) await accepted(one, pick(['SUCCEEDED', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELED']) ?? '');
    },
    async () => {
      const one = pick(believed);
      if (!one) return;
      const { run } = one;
      const forged: Believed =
        pick<Believed>([
          { run, workerId: pick(workers) ?? 0 },
          { run: { ...run, version: run.version + (chance(0.5) ? 1 : -1) }, workerId: one.workerId },
          { run: { ...run, leader_epoch: run.leader_epoch + (chance(0.5) ? 1 : -1) }, workerId: one.workerId },
          { run: { ...run, attempt: run.attempt + (chance(0.5) ? 1 : -1) }, workerId: one.workerId },
        ]) ?? one;
      await accepted(forged, pick(['SUCCEEDED', 'FAILED']) ?? '');
    },
    async () => {
      const workerId = pick(workers) ?? 0;
      const ids = believed.filter((one) => one.workerId === workerId).map(({ run }) => run.id);
      await rig.do('heartbeat', workerId, `{${ids.join(',')}}`, ids.length, false, 10, 0);
    },
    async () => {
      await rig.silence(pick(workers) ?? 0);
      if (chance(0.3)) {
        const i = Math.floor(random.fraction() * workers.length);
        if (chance(0.5))
          await rig.do('changeWorker', workers[i] ?? 0, pick(['DRAINING', 'DETACHED']) ?? '', 1, 'test', null);
        workers[i] = await rig.worker(jobs);
      }
    },
    async () =>
      void (await rig.sql(
        `update jobs.job_runs set continuation_check_deadline_at = now() - interval '1 s'
where continuation_state = 'CONFIRMING' and id % 2 = $1`,
        Math.floor(random.fraction() * 2),
      )),
    async () => {
      const one = pick(believed);
      if (one && chance(0.3)) await rig.do('cancel', one.run.id, 'test', null);
    },
    async () => {
      const i = Math.floor(random.fraction() * 2);
      epochs[i] = ++newest;
      if (chance(0.9)) await rig.raise(epochs[i] ?? 0);
    },
    ...[0, 1].flatMap((leader) => [
      async () => {
        const runs = await rig.do<{ id: number }>('listGated', 10);
        const run = pick(runs);
        const workerId = pick(workers) ?? 0;
        if (!run) return;
        const rows = await rig
          .do<{ id: number; version: number }>('assign', `{${run.id}}`, workerId, epochs[leader] ?? 0)
          // Two leaders of one epoch may choose one key at once; the index refuses one of them.
          .catch((error: Error) =>
            /job_runs_exclusive/.test(String(error.cause ?? error)) ? [] : Promise.reject(error),
          );
        count('assigned', rows.length);
        given.push(...rows.map(({ id, version }) => ({ id, version, workerId })));
      },
      async () => count('orphaned', (await rig.do('orphan', epochs[leader] ?? 0, -1, 10)).length),
      async () => void (await rig.do('confirm', epochs[leader] ?? 0, 10, 60)),
      async () => {
        const [row] = await rig.do<{ ended: number }>('rescueRunning', epochs[leader] ?? 0, 10, 10, 100);
        count('rescued', row?.ended ?? 0);
      },
      async () => void (await rig.do('sweepWorkers', epochs[leader] ?? 0, 10)),
    ]),
  ];

  for (let round = 0; round < rounds; round++) {
    const chosen = Array.from({ length: 1 + Math.floor(random.fraction() * 6) }, () => pick(operations));
    await Promise.all(chosen.map((operation) => operation?.()));
  }
  return { finishes, starts, counts };
}

/** One leader and one worker that do everything right: whatever was left behind must end. */
export async function endEverything(rig: JobsRig, finishes: AcceptedFinish[]): Promise<number> {
  const [fence] = await rig.sql<{ token: number }>(`select token from jobs.fences where resource = 'jobs'`);
  const epoch = (fence?.token ?? 0) + 1;
  await rig.raise(epoch);
  await rig.sql(`update jobs.workers set seen_at = now() - interval '1 hour'`);
  const worker = await rig.worker([1, 2]);
  for (let round = 0; round < 400; round++) {
    const [left] = await rig.sql<{ n: number }>('select count(*)::int as n from jobs.job_runs');
    if ((left?.n ?? 0) === 0) return 0;
    await rig.do('orphan', epoch, -1, 10);
    await rig.do('confirm', epoch, 10, 1);
    await rig.sql(
      `update jobs.job_runs set continuation_check_deadline_at = now() - interval '1 s' where continuation_state = 'CONFIRMING'`,
    );
    await rig.do('rescueRunning', epoch, 10, 10, 1_000);
    for (const { id } of await rig.do<{ id: number }>('listGated', 100))
      await rig.do('assign', `{${id}}`, worker, epoch);
    const runs = [...(await rig.claim(worker, 1, 100))];
    const given = await rig.do<{ id: number | null; version: number; state: string }>(
      'heartbeat',
      worker,
      '{}',
      0,
      false,
      10,
      0,
    );
    for (const { id, version, state } of given) {
      if (id !== null && state === 'ASSIGNED')
        runs.push(...(await rig.do<ClaimedRun>('start', `{${id}}`, worker, version)));
    }
    for (const run of runs) {
      if ((await rig.finish(run, worker)) === 1)
        finishes.push({
          runId: run.id,
          workerId: worker,
          epoch: run.leader_epoch,
          version: run.version,
          attempt: run.attempt,
        });
    }
  }
  const [left] = await rig.sql<{ n: number }>('select count(*)::int as n from jobs.job_runs');
  return left?.n ?? 0;
}
