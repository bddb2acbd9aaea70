/**
 * Random histories on real servers, judged by a checker that has to find planted bugs. The long form is
 * `npm run faults -- jobs-random`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { checkJournal } from './check-journal.ts';
import { keepJournal, readJournal } from './job-journal.ts';
import { type JobsServer, openJobsRig, startJobsServer, without } from './jobs-rig.ts';
import { doRandomOperations, endEverything } from './random-operations.ts';

const maxRetries = 3;

async function judge(
  server: JobsServer,
  seed: number,
  plant: Parameters<typeof openJobsRig>[1] = {},
): Promise<{ readonly problems: readonly string[]; readonly counts: ReadonlyMap<string, number> }> {
  const rig = await openJobsRig(server, plant);
  try {
    await keepJournal(rig);
    const { finishes, starts, counts } = await doRandomOperations({ rig, seed, rounds: 150, maxRetries });
    const all = [...finishes];
    const left = await endEverything(rig, all);
    const problems = checkJournal({ entries: await readJournal(rig), finishes: all, starts, maxRetries });
    return { problems: left === 0 ? problems : [...problems, `${left} runs never ended`], counts };
  } finally {
    await rig.close();
  }
}

describe.each([15, 18] as const)('random operations on PostgreSQL %i', (major) => {
  let server: JobsServer;
  beforeAll(async () => {
    server = await startJobsServer(major);
  });
  afterAll(() => server?.stop());

  const seeds = faultRounds('JOBS_RANDOM', major === 15 ? 1 : 3);
  it(`${seeds} histories: no illegal path, no stale right, one successor, every run ends`, async () => {
    const total = new Map<string, number>();
    for (let seed = 1; seed <= seeds; seed++) {
      const { problems, counts } = await judge(server, seed);
      expect(problems, `seed ${seed}`).toEqual([]);
      for (const [name, n] of counts) total.set(name, (total.get(name) ?? 0) + n);
    }
    reportFault({ experiment: 'jobs-random', major, seeds, ...Object.fromEntries(total) });
    // A history in which nothing happened proves nothing.
    for (const name of ['assigned', 'claimed', 'finish', 'finish refused', 'orphaned', 'rescued', 'started']) {
      expect(total.get(name), name).toBeGreaterThan(0);
    }
  }, 3_600_000);

  if (major === 15) return;

  const noFence = without(`resource = 'jobs' and token = `, `resource = 'jobs' and 0 <= `);
  it.each([
    [
      'a finish does not compare the worker',
      { finish: without('r.assigned_worker_id = $2::bigint', '$2::bigint > 0') },
    ],
    ['a finish does not compare the version', { finish: without('r.version = $4::int', '$4::int > 0') }],
    ['a finish does not compare the epoch', { finish: without('r.leader_epoch = $3::bigint', '$3::bigint >= 0') }],
    ['a finish does not compare the attempt', { finish: without('r.attempt = $5::smallint', '$5::smallint >= 0') }],
    ['a finish leaves out a version', { finish: without('+ 1,\n    $6::text', '+ 2,\n    $6::text') }],
    ['a start does not compare the worker', { start: without('r.assigned_worker_id = $2::bigint', '$2::bigint > 0') }],
    ['an assignment without the fence', { assign: noFence }],
    ['an orphaning without the fence', { orphan: noFence }],
    ['a rescue without the fence', { rescueRunning: noFence }],
    ['the fence can be lowered', { raiseFence: without('where f.token <= excluded.token') }],
    [
      'a cancel does not suppress the retry',
      { rescueRunning: without('where d.cancel_requested_at is null and', 'where') },
    ],
    ['a failure makes no retry', { finishFailed: without('d.attempt <= f.max_retries', 'd.attempt < 1') }],
    [
      'flags raise the version',
      { confirm: without('set continuation_state', 'set version = r.version + 1, continuation_state') },
    ],
    ['an orphan keeps its attempt', { assign: without(`(r.state = 'ORPHANED')::int`, '0') }],
  ] as const)(
    'the checker finds: %s',
    async (_, plant) => {
      let found: readonly string[] = [];
      for (let seed = 1; seed <= 12 && found.length === 0; seed++) {
        // A bug may also show as a statement that the database refuses.
        found = await judge(server, seed, plant).then(
          ({ problems }) => problems,
          (error: unknown) => [String(error)],
        );
      }
      expect(found).not.toEqual([]);
    },
    120_000,
  );
});
