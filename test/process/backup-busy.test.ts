/**
 * A backup of a store that is hard at work, and what the restored one does with everything that was granted before:
 * also with what was granted after the backup was taken, of which the file knows nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restoreBackup } from '../../src/backup/restore-backup.ts';
import { writeBackup } from '../../src/backup/write-backup.ts';
import type { LeaseStore, MigrationSet, SqlDatabase } from '../../src/core/ports.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { postgresStore } from '../../src/stores/postgres/index.ts';
import { createJobs, type Jobs } from '../../src/systems/jobs/index.ts';
import { type BackupRig, everySet, openBackupRig } from './backup-rig.ts';

let dir = '';
let rig: BackupRig;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kannuki-busy-'));
  rig = await openBackupRig();
});
afterAll(async () => {
  await rig.close();
  rmSync(dir, { recursive: true, force: true });
});

interface Grant {
  readonly key: string;
  readonly owner: string;
  readonly token: number;
  readonly lastToken: number;
}

/** Takes, claims and gives back without a pause until told to stop; every grant it ever had. */
function keepGranting(store: LeaseStore): { stop(): Promise<readonly Grant[]> } {
  let stopped = false;
  const grants: Grant[] = [];
  const loop = async (worker: number): Promise<void> => {
    for (let round = 0; !stopped; round += 1) {
      const key = `busy/${(worker + round) % 5}`;
      const owner = `p${worker}.${round}`;
      const reply = await store.acquire({ key, owner, ttlMs: 500, line: false });
      if (!reply.granted) continue;
      grants.push({ key, owner, token: reply.token, lastToken: reply.lastToken });
      await store.claim({ resource: key, token: reply.token });
      await store.release({ key, owner, token: reply.lastToken, acceptMs: 1_000 });
    }
  };
  const loops = [1, 2, 3].map(loop);
  return {
    async stop() {
      stopped = true;
      await Promise.all(loops);
      return grants;
    },
  };
}

function openWork(database: SqlDatabase, onRun: (id: number) => void): Jobs {
  const jobs = createJobs({ database, migrate: false });
  jobs.define({ name: 'work', maxRetries: 0, handler: async ({ run }) => onRun(run.id) });
  return jobs;
}

const ids = async (database: SqlDatabase, table: string): Promise<readonly number[]> =>
  (await database.query<{ id: number }>({ text: `select id from kannuki.${table} order by id` })).rows.map(({ id }) =>
    Number(id),
  );

describe('a busy store', { timeout: 300_000 }, () => {
  it('is moved from 18 to 15: all runs there, none run again by the record, nothing granted twice', async () => {
    const old = await rig.open(18);
    await migrate(old, everySet);
    const oldStore = postgresStore({ database: old });
    const ranOld: number[] = [];
    const oldJobs = openWork(old, (id) => ranOld.push(id));
    await oldJobs.startScheduler();
    await oldJobs.startWorker({ concurrency: 20 });
    const acknowledged: number[] = [];
    let enough = false;
    const enqueuing = (async () => {
      while (!enough) {
        const made = await Promise.all(Array.from({ length: 20 }, () => oldJobs.enqueue('work', {})));
        acknowledged.push(...made.map(({ runId }) => runId));
      }
    })();
    const granting = keepGranting(oldStore);
    const held = await oldStore.acquire({ key: 'held', owner: 'p9.1', ttlMs: 600_000, line: false });
    if (!held.granted) throw new Error('the key was free');
    while (ranOld.length < 500) await new Promise((resolve) => setTimeout(resolve, 5)); // For work to be under way.

    const before = [...acknowledged];
    const file = join(dir, 'busy.backup');
    await writeBackup(old, { file, version: '1.0.0', source: 'test' });

    // The old store goes on: more grants, more epochs, more ids, of which the file knows nothing.
    const late = await oldStore.acquire({ key: 'late', owner: 'p9.2', ttlMs: 600_000, line: false });
    if (!late.granted) throw new Error('the key was free');
    await oldStore.claim({ resource: 'busy/0', token: late.token });
    const ranBefore = ranOld.length;
    while (ranOld.length < ranBefore + 500) await new Promise((resolve) => setTimeout(resolve, 5)); // As above.
    enough = true;
    await enqueuing;
    const grants = [...(await granting.stop()), { key: 'late', owner: 'p9.2', ...late }];
    const oldMaxId = Math.max(...acknowledged);
    const [oldFence] = (
      await old.query<{ token: number }>({ text: `select token from kannuki.fences where resource = 'jobs'` })
    ).rows;
    await oldJobs.close();

    const restored = await rig.open(15);
    const { floorToken } = await restoreBackup(restored, { file, migrations: everySet });
    for (const { lastToken } of grants) expect(lastToken).toBeLessThan(floorToken);

    // One moment of the old store: every run that was acknowledged is there, in one place.
    const open = await ids(restored, 'job_runs');
    const ended = await ids(restored, 'job_run_history');
    expect(new Set([...open, ...ended]).size).toBe(open.length + ended.length);
    const there = new Set([...open, ...ended]);
    expect(before.filter((id) => !there.has(id))).toEqual([]);
    expect(ended.length).toBeGreaterThan(0);

    // What was granted before is refused, whenever it was granted.
    const store = postgresStore({ database: restored });
    expect(await findAccepted(store, [...grants, { key: 'held', owner: 'p9.1', ...held }])).toEqual([]);
    expect(await store.explainLoss({ key: 'held', owner: 'p9.1', token: held.lastToken })).toMatchObject({
      kind: 'broken',
      by: 'kannuki restore',
    });
    // Who held a lease may still be at work: nobody else gets it before its end.
    expect(await store.acquire({ key: 'held', owner: 'q.1', ttlMs: 1_000, line: false })).toMatchObject({
      granted: false,
    });
    // Those that were held at that moment have ended.
    await new Promise((resolve) => setTimeout(resolve, 500));
    for (const key of ['busy/0', 'busy/1', 'late']) {
      const reply = await store.acquire({ key, owner: `q.${key}`, ttlMs: 1_000, line: false });
      expect(reply, key).toMatchObject({ granted: true });
      if (reply.granted) expect(reply.token).toBeGreaterThan(floorToken);
      if (reply.granted)
        expect(await store.claim({ resource: key, token: reply.token })).toMatchObject({ claimed: true });
    }

    // The restored store works on what is left, under a higher epoch, with numbers nobody has seen.
    await restored.query({ text: `update kannuki.workers set seen_at = now() - interval '1 hour'` });
    await restored.query({ text: `update kannuki.leases set expires_at = now() where key = 'scheduler/leader'` });
    const ranNew: number[] = [];
    const jobs = openWork(restored, (id) => ranNew.push(id));
    await jobs.startScheduler();
    await jobs.startWorker({ concurrency: 20 });
    const fresh = await jobs.enqueue('work', {});
    expect(fresh.runId).toBeGreaterThan(oldMaxId);
    const deadline = Date.now() + 120_000;
    while ((await ids(restored, 'job_runs')).length > 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50)); // For the last run to end.
    }
    await jobs.close();
    expect(await ids(restored, 'job_runs')).toEqual([]);
    expect(ranNew.filter((id) => ended.includes(id))).toEqual([]);
    expect(new Set(ranNew).size).toBe(ranNew.length);
    const { rows: starts } = await restored.query<{ epochs: number; least: number; doubled: number }>({
      text: `select min(leader_epoch) as epochs, min(start_token) as least, count(*) - count(distinct start_token) as doubled
from kannuki.job_run_history where started_at > to_timestamp(${floorToken} / 1e6) and start_token is not null`,
    });
    expect(Number(starts[0]?.doubled)).toBe(0);
    expect(Number(starts[0]?.epochs)).toBeGreaterThan(Number(oldFence?.token));
    expect(Number(starts[0]?.least)).toBeGreaterThan(1_000_000_000);
  });

  it('the check of old grants finds a restore that does not raise them', async () => {
    const old = await rig.open(18);
    await migrate(old, everySet);
    const oldStore = postgresStore({ database: old });
    const first = await oldStore.acquire({ key: 'a', owner: 'p.1', ttlMs: 600_000, line: false });
    if (!first.granted) throw new Error('the key was free');
    await oldStore.claim({ resource: 'a', token: first.token });
    const file = join(dir, 'planted.backup');
    await writeBackup(old, { file, version: '1.0.0', source: 'test' });
    const grant = { key: 'a', owner: 'p.1', ...first };
    const careless = everySet.map(({ system, migrations }): MigrationSet => ({ system, migrations }));
    for (const [migrations, accepted] of [
      [everySet, []],
      [careless, ['a claim', 'a renewal']],
    ] as const) {
      const to = await rig.open(15);
      await restoreBackup(to, { file, migrations });
      expect(await findAccepted(postgresStore({ database: to }), [grant])).toEqual(accepted);
    }
  });

  it('the backup is one moment: a run that moves while it is read is in one place', async () => {
    for (const snapshot of [true, false]) {
      const old = await rig.open(18);
      await migrate(old, everySet);
      const jobs = createJobs({ database: old, migrate: false });
      jobs.define({ name: 'work', handler: async () => undefined });
      await jobs.ready();
      await jobs.enqueue('work', {});
      // The run ends between the reading of the two tables; a backup without a snapshot has it in neither.
      const watched: SqlDatabase = {
        ...old,
        transaction: (work) =>
          old.transaction((tx) =>
            work({
              async query(statement) {
                if (!snapshot && statement.text.startsWith('set transaction')) return { rows: [], rowCount: 0 };
                if (statement.text.includes('from "kannuki"."job_runs"')) {
                  await old.query({
                    text: `with gone as (delete from kannuki.job_runs returning *)
insert into kannuki.job_run_history (id, scheduled_for, created_at, finished_at, job_definition_id, version, queue_id, priority, attempt, trigger, state)
select id, scheduled_for, created_at, now(), job_definition_id, version, queue_id, priority, attempt, trigger, 'SUCCEEDED' from gone`,
                  });
                }
                return tx.query(statement);
              },
            }),
          ),
      };
      const file = join(dir, `moment-${snapshot}.backup`);
      const { tables } = await writeBackup(watched, { file, version: '1.0.0', source: 'test' });
      await jobs.close();
      expect((tables.job_runs ?? 0) + (tables.job_run_history ?? 0)).toBe(snapshot ? 1 : 0);
    }
  });
});

/** What an old holder can still do in this store. */
async function findAccepted(store: LeaseStore, grants: readonly Grant[]): Promise<readonly string[]> {
  const accepted = new Set<string>();
  for (const { key, owner, token, lastToken } of grants) {
    const [renewed] = await store.renew([{ key, owner, token: lastToken, ttlMs: 1_000 }]);
    if (renewed) accepted.add('a renewal');
    const claim = await store.claim({ resource: key, token });
    if (claim.claimed && key !== 'late' && key !== 'held') accepted.add('a claim');
  }
  return [...accepted].sort();
}
