/**
 * A task queue that calls until it hears 2xx, calls twice, loses answers, and servers that are killed under it. Each
 * analysis must end with one stored result, and none may be left undone.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { migrate } from '../../src/engine/migrate.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { type AnalysisRepo, analysisMigrations, sqlAnalysisRepo } from '../../src/systems/analysis/index.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';
import { createFleet, type Fleet, type Worker } from './fleet.ts';

const deliveries = faultRounds('ANALYSIS_QUEUE', 100);
const idCount = deliveries / 10;
const ttlMs = 1_000;
const script = new URL('analysis-worker.mjs', import.meta.url);
const secret = 's'.repeat(64);

interface Serving {
  readonly worker: Worker;
  readonly url: string;
}

describe('a queue that calls until 2xx', () => {
  let server: PostgresServer;
  let database: ReturnType<typeof postgresDatabase>;
  let repo: AnalysisRepo;

  beforeAll(async () => {
    server = await startPostgres({ major: 18 });
    database = postgresDatabase({ connectionString: server.url });
    await migrate(database, [analysisMigrations]);
    repo = sqlAnalysisRepo({ database });
    // Whoever writes a result leaves a trace, also one that is overwritten.
    for (const text of [
      'create table results_written (analysis_id text, token bigint)',
      `create function note_result() returns trigger language plpgsql as $$
       begin insert into results_written values (new.analysis_id, new.result_token); return new; end $$`,
      `create trigger note_result after update of result, result_token on kannuki.analyses
       for each row execute function note_result()`,
    ]) {
      await database.query({ text });
    }
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  const serve = async (fleet: Fleet, options: object = {}, lockMs = ttlMs): Promise<Serving> => {
    const worker = await fleet.start({
      store: { kind: 'postgres', url: server.url },
      ttlMs: lockMs,
      script,
    });
    return { worker, url: await worker.ask<string>({ command: 'serve', secret, ...options }) };
  };
  const call = async (url: string, analysisId: string): Promise<number> => {
    try {
      const reply = await fetch(`${url}/internal/tasks/analysis`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ analysis_id: analysisId }),
      });
      await reply.arrayBuffer();
      return reply.status;
    } catch {
      // The server died, or was dead.
      return 0;
    }
  };
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  it(`${deliveries} deliveries of ${idCount} analyses, with duplicates, lost answers and crashes`, {
    timeout: 900_000,
  }, async () => {
    await using fleet = createFleet();
    const seed = platform.random.hex(4);
    const random = seededRandom(seed);
    const ids = Array.from({ length: idCount }, (_, i) => `queued-${i}`);
    for (const id of ids) await repo.createAnalysis(id);
    const servers = await Promise.all([1, 2, 3].map(() => serve(fleet)));
    const tally = { calls: 0, lostAnswers: 0, crashes: 0, conflicts: 0, unavailable: 0 };

    const deliverOne = async (id: string): Promise<void> => {
      for (const untilMs = performance.now() + 120_000; performance.now() < untilMs; ) {
        tally.calls += 1;
        const status = await call(random.pick(servers).url, id);
        if (status === 409) tally.conflicts += 1;
        const lost = random.chance(0.1);
        if (lost) tally.lostAnswers += 1;
        if (status >= 200 && status < 300 && !lost) return;
        // 503: on a busy machine the database may be later than a lock of a second allows.
        if (status === 503) tally.unavailable += 1;
        if (![0, 200, 409, 503].includes(status)) throw new Error(`${id} was answered ${status}`);
        // Queues wait between calls; the lock of a dead worker only ends by time.
        await pause(random.integer(20, 200));
      }
      throw new Error(`${id} was not done`);
    };

    // Every id at least once, the rest by chance, a few ids at a time: duplicates meet while the first one works.
    const drawn = [...ids, ...Array.from({ length: deliveries - idCount }, () => random.pick(ids))];
    const queue = drawn
      .map((id) => ({ id, at: Number(id.slice('queued-'.length)) + random.integer(0, 3) }))
      .sort((a, b) => a.at - b.at)
      .map(({ id }) => id);
    let left = queue.length;
    const caller = async (): Promise<void> => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        await deliverOne(id);
        left -= 1;
      }
    };
    const crash = async (): Promise<void> => {
      do {
        await pause(tally.crashes === 0 ? 30 : random.integer(100, 400));
        const at = random.integer(0, servers.length - 1);
        await servers[at]?.worker.kill();
        tally.crashes += 1;
        servers[at] = await serve(fleet);
      } while (left > 0);
    };
    await Promise.all([...Array.from({ length: 16 }, caller), crash()]);

    const { rows } = await database.query<{ id: string; status: string; same: boolean; written: number }>({
      text: `
select a.analysis_id as id, a.status, (a.result->>'token')::bigint = a.result_token as same,
  (select count(*)::int from results_written w where w.analysis_id = a.analysis_id) as written
from kannuki.analyses a where a.analysis_id = any ($1)`,
      values: [ids],
    });
    const wrong = rows.filter(({ status, same, written }) => status !== 'READY' || !same || written !== 1);
    reportFault({ experiment: 'analysis-queue', seed, deliveries, analyses: idCount, wrong: wrong.length, ...tally });
    expect(wrong, `seed ${seed}`).toEqual([]);
    expect(rows).toHaveLength(idCount);
    expect(tally.crashes, 'servers were killed').toBeGreaterThan(0);
    expect(tally.lostAnswers, 'answers were lost').toBeGreaterThan(0);
  });

  it('a duplicate that hears "locked": with 409 the task is called again and done, with 200 it is left undone', {
    timeout: 120_000,
  }, async () => {
    await using fleet = createFleet();
    const deliverTwiceAndKill = async (id: string, onLocked: 'retry' | 'skip'): Promise<string | undefined> => {
      await repo.createAnalysis(id);
      const [doomed, other] = await Promise.all([
        serve(fleet, { hold: true, onLocked }, 3_000),
        serve(fleet, { onLocked }, 3_000),
      ]);
      const first = call(doomed.url, id);
      await doomed.worker.next('begun');
      const second = await call(other.url, id);
      expect(second).toBe(onLocked === 'skip' ? 200 : 409);
      await doomed.worker.kill();
      expect(await first).toBe(0);
      // One 2xx and the queue forgets the task.
      for (let status = second; status !== 200; status = await call(other.url, id)) await pause(100);
      return (await repo.readAnalysis(id))?.status;
    };
    expect(await deliverTwiceAndKill('twice-retry', 'retry')).toBe('READY');
    expect(await deliverTwiceAndKill('twice-skip', 'skip'), 'what the default is there for').toBe('PENDING');
  });
});
