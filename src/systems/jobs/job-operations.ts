/**
 * What operators do. Each act is one statement or transaction that also writes its audit row; too late is an answer,
 * not an error.
 */
import { limits } from '../../core/limits.ts';
import type { Leases } from '../../engine/lease-keeper.ts';
import { breakLeaseIn, namedBreakLease } from '../../sql/break-lease-in.ts';
import { writeAudit } from '../../sql/write-audit.ts';
import type { JobDefinition } from './job-definition.ts';
import { JobError } from './job-error.ts';
import { checkJobSetting, confirmingSeconds, type JobSettings, putSettingStatement } from './job-settings.ts';
import type { JobsContext } from './jobs-context.ts';
import { leaderKey } from './scheduler/start-scheduler.ts';
import { jobChannel } from './sql/job-statements.ts';

/** Who acts, and why; both are kept. */
export interface ActOptions {
  /** @default the process's name */
  readonly by?: string;
  readonly why?: string;
}

export type CancelOutcome =
  /** It had not started: it is CANCELED. */
  | { readonly outcome: 'canceled' }
  /** It runs: its worker has been told, and ends it. */
  | { readonly outcome: 'requested' }
  /** Nothing to cancel. */
  | { readonly outcome: 'ended' | 'not-found' };

export type RetryOutcome =
  | { readonly retried: true; readonly runId: number }
  /** `has-successor`: its next attempt was made already. `not-ended`: it is still under way. */
  | { readonly retried: false; readonly reason: 'has-successor' | 'not-ended' | 'not-found' };

export type ReassignOutcome =
  | { readonly reassigned: true }
  | { readonly reassigned: false; readonly reason: 'wrong-state' | 'not-found' };

export interface JobOperations {
  /** Asks for the end of a run. */
  cancel(runId: number, options?: ActOptions): Promise<CancelOutcome>;
  /** An ended run once more, as a new one that names it. */
  retry(runId: number, options?: ActOptions): Promise<RetryOutcome>;
  /** A run that was given to a worker and has not started goes to another. */
  reassign(runId: number, options?: ActOptions): Promise<ReassignOutcome>;
  /** The worker gets nothing more and must confirm what it runs; what it does not confirm in time is run elsewhere. */
  detach(workerId: number, options?: ActOptions): Promise<boolean>;
  /** The worker finishes what it has and gets nothing more. */
  drain(workerId: number, options?: ActOptions): Promise<boolean>;
  /** Ends the leadership of whoever leads; another takes over. */
  demote(options?: ActOptions): Promise<boolean>;
  /** Workers take nothing from a paused queue. */
  pauseQueue(queue: string, paused: boolean, options?: ActOptions): Promise<boolean>;
  /** A paused job makes no runs by the clock or by events; what is enqueued still runs. */
  pauseJob(job: string, paused: boolean, options?: ActOptions): Promise<boolean>;
  /** Defines a job that needs no code, or changes it; in force when this returns. */
  editJob(definition: Omit<JobDefinition, 'handler' | 'schema'>, options?: ActOptions): Promise<void>;
  setSetting<Key extends keyof JobSettings>(key: Key, value: JobSettings[Key], options?: ActOptions): Promise<void>;
}

export interface JobOperationsOptions {
  readonly context: JobsContext;
  readonly leases: Leases;
  /** The leases are in the database of the jobs: a break can share a transaction with its audit row. */
  readonly leasesAreHere: boolean;
  readonly ready: () => Promise<void>;
}

export function createJobOperations({ context, leases, leasesAreHere, ready }: JobOperationsOptions): JobOperations {
  const { database, statements, platform } = context;
  const schema = `"${database.schema}"`;
  const channel = jobChannel(database.schema);
  const actor = ({ by }: ActOptions): string => by ?? platform.processName;

  const stateOf = async (runId: number): Promise<'ended' | 'live' | 'unknown'> => {
    const { rows } = await database.query<{ live: boolean; ended: boolean }>({
      text: `select exists (select from ${schema}.job_runs where id = $1::bigint) as live,
  exists (select from ${schema}.job_run_history where id = $1::bigint) as ended`,
      values: [runId],
    });
    if (rows[0]?.live) return 'live';
    return rows[0]?.ended ? 'ended' : 'unknown';
  };

  const changeWorker = async (workerId: number, state: string, options: ActOptions): Promise<boolean> => {
    await ready();
    const seconds = confirmingSeconds(await context.refreshSettings());
    const { rows } = await database.query(
      statements.changeWorker(checkId(workerId), state, seconds, actor(options), options.why ?? null),
    );
    return rows.length === 1;
  };

  const pause = async (
    table: 'job_definitions' | 'queues',
    name: string,
    paused: boolean,
    options: ActOptions,
  ): Promise<boolean> => {
    await ready();
    const { rows } = await database.query({
      text: `
with old as (select id, paused from ${schema}.${table} where name = $1::text for update), u as (
  update ${schema}.${table} t set paused = $2::boolean from old where t.id = old.id returning t.id, old.paused as before
), a as (
  insert into ${schema}.audit (actor, action, target, before, after, why)
  select $3::text, 'edit', $5::text || '/' || $1::text, json_build_object('paused', before), json_build_object('paused', $2::boolean), $4::text from u
)
select id, pg_notify('${channel}', 'missed') from u`,
      values: [name, paused, actor(options), options.why ?? null, table === 'queues' ? 'queue' : 'job'],
    });
    return rows.length === 1;
  };

  return {
    async cancel(runId, options = {}) {
      checkId(runId);
      await ready();
      // A run that changes hands between two states is neither for one statement; it is found by the next.
      for (let tries = 0; ; tries++) {
        const { rows } = await database.query<{ outcome: 'canceled' | 'requested' }>(
          statements.cancel(runId, actor(options), options.why ?? null),
        );
        const [row] = rows;
        if (row) return { outcome: row.outcome };
        const state = await stateOf(runId);
        if (state === 'ended') return { outcome: 'ended' };
        if (state === 'unknown') return { outcome: 'not-found' };
        if (tries >= 20) throw unsettled(runId);
      }
    },
    async retry(runId, options = {}) {
      checkId(runId);
      await ready();
      const { rows } = await database.query<{ id: number }>(
        statements.retryRun(runId, actor(options), options.why ?? null),
      );
      const [row] = rows;
      if (row) return { retried: true, runId: row.id };
      const state = await stateOf(runId);
      const reasons = { ended: 'has-successor', live: 'not-ended', unknown: 'not-found' } as const;
      return { retried: false, reason: reasons[state] };
    },
    async reassign(runId, options = {}) {
      checkId(runId);
      await ready();
      for (let tries = 0; ; tries++) {
        const { rows } = await database.query<{ state: string; version: number }>({
          text: `select state, version from ${schema}.job_runs where id = $1::bigint`,
          values: [runId],
        });
        const [row] = rows;
        if (!row)
          return { reassigned: false, reason: (await stateOf(runId)) === 'unknown' ? 'not-found' : 'wrong-state' };
        if (row.state !== 'ASSIGNED') return { reassigned: false, reason: 'wrong-state' };
        const done = await database.query(statements.reassign(runId, row.version, actor(options), options.why ?? null));
        if (done.rows.length === 1) return { reassigned: true };
        if (tries >= 20) throw unsettled(runId);
      }
    },
    detach: (workerId, options = {}) => changeWorker(workerId, 'DETACHED', options),
    drain: (workerId, options = {}) => changeWorker(workerId, 'DRAINING', options),
    async demote(options = {}) {
      await ready();
      const reason = options.why ?? 'demoted by an operator';
      const by = actor(options);
      const act = { actor: by, action: 'demote', target: leaderKey, why: options.why };
      if (!leasesAreHere) {
        // No transaction spans two stores: no demotion without its row, though a row may stand for one that failed.
        await writeAudit(database, database.schema, act);
        return (await leases.break(leaderKey, { by, reason })).broken;
      }
      return database.transaction(async (tx) => {
        const request = { key: leaderKey, by, reason, acceptMs: limits.acceptMsMax };
        const reply = await breakLeaseIn(tx, namedBreakLease(database.schema), request);
        const before = reply.broken ? { holders: reply.holders } : null;
        await writeAudit(tx, database.schema, { ...act, before, after: { broken: reply.broken } });
        return reply.broken;
      });
    },
    async editJob(definition, options = {}) {
      await ready();
      const { why } = options;
      await context.definitions.edit(definition, { by: actor(options), ...(why !== undefined && { why }) });
    },
    pauseQueue: (queue, paused, options = {}) => pause('queues', queue, paused, options),
    pauseJob: (job, paused, options = {}) => pause('job_definitions', job, paused, options),
    async setSetting(key, value, options = {}) {
      checkJobSetting(key, value);
      await ready();
      await database.query({
        text: putSettingStatement(database.schema, channel),
        values: [key, JSON.stringify(value), actor(options), options.why ?? null],
      });
      await context.refreshSettings();
    },
  };
}

function checkId(id: number): number {
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new JobError(`An id is a whole number from 1, got ${String(id)}.`, { code: 'invalid-argument' });
}

function unsettled(runId: number): JobError {
  return new JobError(`Run ${runId} kept changing hands; ask again.`, {
    code: 'unknown-outcome',
    retryable: true,
    runId,
  });
}
