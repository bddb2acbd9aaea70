/** Many callers at once on a real server: what one connection cannot show. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres-server.ts';
import type { Platform, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { postgresDatabase } from '../../stores/postgres/index.ts';
import { migrate } from '../migrate.ts';
import { createRunOnce } from './create-run-once.ts';
import type { Run } from './run.ts';
import { runOnceMigrations } from './run-once-migrations.ts';
import type { RunOnceOutcome } from './run-once-outcome.ts';

/** A process that is stopped: its timers do not come. */
const stopped: Platform = { ...platform, clock: { ...platform.clock, after: () => ({ cancel: () => {} }) } };

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface Answer {
  readonly by: number;
}

describe.each([15, 18] as const)('races on PostgreSQL %d', (major) => {
  let server: PostgresServer;
  let database: SqlDatabase;

  beforeAll(async () => {
    server = await startPostgres({ major });
    database = postgresDatabase({ connectionString: server.url, max: 20, listen: false });
    await migrate(database, [runOnceMigrations]);
    await database.query({ text: 'create table effects (key text not null, token bigint not null)' });
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  const effects = async (key: string) => {
    const { rows } = await database.query<{ token: number }>({
      text: 'select token from effects where key = $1',
      values: [key],
    });
    return rows.map((row) => row.token);
  };
  const addEffect = (run: Run) =>
    run.transaction(async (tx: SqlExecutor): Promise<Answer> => {
      await tx.query({ text: 'insert into effects (key, token) values ($1, $2)', values: [run.key, run.token] });
      return { by: run.token };
    });
  const expire = (key: string) =>
    database.query({
      text: `update kannuki.run_once set expires_at = statement_timestamp() where key = $1 and state = 'running'`,
      values: [key],
    });
  const count = (outcomes: readonly RunOnceOutcome<unknown>[], outcome: string) =>
    outcomes.filter((one) => one.outcome === outcome).length;
  const answers = (outcomes: readonly RunOnceOutcome<Answer>[]) =>
    new Set(outcomes.flatMap((one) => ('result' in one ? [one.result.by] : [])));

  it('50 callers at once: one runs, the others are in flight or replayed, one effect', async () => {
    for (let round = 0; round < 10; round++) {
      const key = `fifty-${round}`;
      let executions = 0;
      const execute = (run: Run) => {
        executions++;
        return addEffect(run);
      };
      const callers = Array.from({ length: 50 }, () => createRunOnce({ database })({ key, input: 1 }, execute));
      const outcomes = await Promise.all(callers);
      expect(executions).toBe(1);
      expect(count(outcomes, 'ran')).toBe(1);
      expect(count(outcomes, 'in-flight') + count(outcomes, 'replayed')).toBe(49);
      expect(answers(outcomes)).toEqual(new Set(await effects(key)));
      expect(await effects(key)).toHaveLength(1);
    }
  });

  it('25 callers of each of two inputs: one input runs, all of the other are refused', async () => {
    for (let round = 0; round < 10; round++) {
      const key = `inputs-${round}`;
      const call = (input: string) => createRunOnce({ database })({ key, input }, addEffect);
      const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => call(i % 2 ? 'odd' : 'even')));
      expect(count(outcomes, 'ran')).toBe(1);
      expect(count(outcomes, 'reused')).toBe(25);
      expect(await effects(key)).toHaveLength(1);
    }
  });

  it('50 callers at a claim whose holder is gone: one takes over', async () => {
    const key = 'gone';
    const hang = new Promise<never>(() => {});
    const claimed = new Promise<void>((resolve) => {
      const runOnce = createRunOnce({ database, platform: stopped });
      void runOnce({ key, input: 1 }, () => {
        resolve();
        return hang;
      });
    });
    await claimed;
    await expire(key);
    let executions = 0;
    const execute = (run: Run) => {
      executions++;
      return addEffect(run);
    };
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => createRunOnce({ database })({ key, input: 1 }, execute)),
    );
    expect(executions).toBe(1);
    expect(count(outcomes, 'ran')).toBe(1);
    expect(await effects(key)).toHaveLength(1);
  });

  it('a crash: in flight for the TTL, then taken over; what wakes up late is refused and its effect undone', async () => {
    const key = 'crash';
    const ttlMs = 400;
    let wake: () => void = () => {};
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let claimed: () => void = () => {};
    const isClaimed = new Promise<void>((resolve) => {
      claimed = resolve;
    });
    const zombie = createRunOnce({ database, platform: stopped, ttlMs })({ key, input: 1 }, async (run) => {
      claimed();
      await asleep;
      return addEffect(run);
    });
    await isClaimed;
    const runOnce = createRunOnce({ database, ttlMs });
    let refusals = 0;
    let taker = await runOnce({ key, input: 1 }, addEffect);
    while (taker.outcome === 'in-flight') {
      refusals++;
      // The TTL passes on the server's clock, which only time can move.
      await wait(taker.retryAfterMs);
      taker = await runOnce({ key, input: 1 }, addEffect);
    }
    expect(refusals).toBeGreaterThan(0);
    expect(taker.outcome).toBe('ran');
    wake();
    expect(await zombie).toEqual({ ...taker, outcome: 'replayed' });
    expect(await effects(key)).toHaveLength(1);
  });

  it('a handler of three TTLs keeps its claim', async () => {
    const key = 'long';
    const ttlMs = 1_000;
    const runOnce = createRunOnce({ database, ttlMs });
    const others: string[] = [];
    const outcome = await runOnce({ key, input: 1 }, async (run) => {
      for (let i = 0; i < 10; i++) {
        // The handler must outlast the claim on the server's clock.
        await wait(ttlMs * 0.3);
        others.push((await runOnce({ key, input: 1 }, () => 'never')).outcome);
      }
      expect(run.signal.aborted).toBe(false);
      return run.attempt;
    });
    expect(outcome).toEqual({ outcome: 'ran', result: 1 });
    expect(new Set(others)).toEqual(new Set(['in-flight']));
  });

  it('claims that end all the time: many executions, one effect, one answer', async () => {
    let executions = 0;
    let zombies = 0;
    for (let round = 0; round < 8; round++) {
      const key = `storm-${round}`;
      let over = false;
      const reaper = (async () => {
        while (!over) await expire(key);
      })();
      const runOnce = createRunOnce({ database, platform: stopped });
      const caller = async (): Promise<RunOnceOutcome<Answer>> => {
        let told = 0;
        for (;;) {
          const outcome = await runOnce({ key, input: 1 }, async (run) => {
            executions++;
            told = run.token;
            // Everybody stays a moment, so that claims end under way.
            await database.query({ text: 'select pg_sleep(0.005)' });
            return addEffect(run);
          });
          if (outcome.outcome === 'replayed' && told > 0) zombies++;
          if (outcome.outcome !== 'in-flight') return outcome;
        }
      };
      const outcomes = await Promise.all(Array.from({ length: 12 }, caller));
      over = true;
      await reaper;
      expect(count(outcomes, 'ran')).toBe(1);
      expect(answers(outcomes).size).toBe(1);
      expect(new Set(await effects(key))).toEqual(answers(outcomes));
      expect(await effects(key)).toHaveLength(1);
    }
    // Otherwise nothing was put to the test.
    expect(executions).toBeGreaterThan(16);
    expect(zombies).toBeGreaterThan(0);
  });

  it('a take-over waits for a completion that is committing, and then replays it', async () => {
    const key = 'committing';
    const other = createRunOnce({ database });
    let taker: Promise<RunOnceOutcome<unknown>> | undefined;
    const slowCommit: SqlDatabase = {
      ...database,
      transaction: (work) =>
        database.transaction(async (tx) => {
          const result = await work(tx);
          // Completed, not committed. To everybody else the claim has ended.
          taker = other({ key, input: 1 }, () => 'never');
          await until(async () => {
            const { rows } = await database.query({
              text: `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%run_once%'`,
            });
            return rows.length > 0;
          });
          return result;
        }),
    };
    const outcome = await createRunOnce({ database: slowCommit, platform: stopped })({ key, input: 1 }, async (run) => {
      await expire(key);
      return addEffect(run);
    });
    expect(outcome.outcome).toBe('ran');
    expect(await taker).toEqual({ ...outcome, outcome: 'replayed' });
  });

  it('indexes only columns that never change: renewals and completions can be HOT', async () => {
    const { rows } = await database.query<{ columns: string }>({
      text: `select string_agg(distinct a.attname, ',' order by a.attname) as columns from pg_index i
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
        where i.indrelid = 'kannuki.run_once'::regclass`,
    });
    expect(rows[0]?.columns).toBe('created_at,key,scope');
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(5); // The server tells nobody that a statement waits; it has to be asked.
}
