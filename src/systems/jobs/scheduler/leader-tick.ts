/**
 * One tick of a leader. Every statement carries its epoch and compares it with the fence, whatever was read before;
 * a leader that was deposed changes nothing. Steps:
 *
 *   1  due times become rows, and cursors move in the same statement
 *   2  events become runs
 *   3  what waits for its rate is let go; what replaces asks the old one to end
 *   4  what Redis has heard of workers is carried into their rows; ASSIGNED on a lost worker → ORPHANED
 *   5  gated runs, PENDING and ORPHANED alike, to the least loaded worker
 *   6  RUNNING on a silent worker → CONFIRMING; past its deadline, or overdue → ended, with the next attempt
 *   7  runs too late → SKIPPED; workers that are gone are put aside; what is older than the retention is forgotten
 */
import { confirmingSeconds } from '../job-settings.ts';
import type { JobsContext } from '../jobs-context.ts';
import { decideDueWindow } from '../schedule/due-window.ts';
import { nextDueTimes } from '../schedule/next-due-times.ts';
import type { Schedule } from '../schedule/schedule.ts';
import { assignGated, type Candidate, type GatedRun } from './assign-gated.ts';

export interface LeaderTick {
  /** Something was left over: tick again at once. */
  readonly more: boolean;
  /** After a patrol: how long until a worker may count as silent, and until a question of now has its deadline. */
  readonly dueInMs: readonly number[];
}

export interface LeaderTickOptions {
  /** Also what walks over many rows: rescue, late runs, retention. Not with every notice, only with the clock. */
  readonly patrol: boolean;
}

interface DueDefinition {
  readonly id: number;
  readonly name: string;
  readonly schedule: Schedule;
  readonly catch_up: 'all' | 'newest' | 'none';
  readonly skip_late_after_seconds: number | null;
  readonly paused: boolean;
  readonly cursor_ms: number;
  readonly now_ms: number;
}

const batch = { definitions: 200, slots: 1_000, events: 1_000, gated: 1_000, rescue: 2_000, late: 1_000, old: 1_000 };

export async function runLeaderTick(
  context: JobsContext,
  epoch: number,
  { patrol }: LeaderTickOptions,
): Promise<LeaderTick> {
  const { database, statements } = context;
  const settings = await context.refreshSettings();
  const { worker_silent_after_seconds: silentSeconds } = settings;

  const due = await recordDueTimes(context, epoch);
  const events = await count('events', statements.processEvents(epoch, batch.events));
  await database.query(statements.releaseLimited(epoch));
  await database.query(statements.replaceActive(epoch));
  if (patrol) await hearRedis(context, epoch, silentSeconds);
  if (patrol) await database.query(statements.orphan(epoch, settings.reassign_after_seconds, silentSeconds));
  await assignRuns(context, epoch, silentSeconds);
  const { full, dueInMs } = patrol ? await walkRound() : { full: false, dueInMs: [] };
  return { more: due || full || events === batch.events, dueInMs };

  async function walkRound(): Promise<{ readonly full: boolean; readonly dueInMs: readonly number[] }> {
    const confirming = confirmingSeconds(settings);
    const { rows: asked } = await database.query(statements.confirm(epoch, silentSeconds, confirming));
    const margin = settings.overdue_margin_seconds;
    const ended = await count('ended', statements.rescueRunning(epoch, silentSeconds, margin, batch.rescue));
    const skipped = await count('skipped', statements.skipLate(epoch, batch.late));
    await database.query(statements.sweepWorkers(epoch, silentSeconds));
    const { history_retention_days: days } = settings;
    const forgotten = days > 0 ? await count('runs', statements.pruneHistory(epoch, days, batch.old)) : 0;
    const { rows } = await database.query<{ seconds: number | null }>(statements.nextSilence(silentSeconds));
    return {
      full: ended === batch.rescue || skipped === batch.late || forgotten === batch.old,
      dueInMs: [rows[0]?.seconds, asked.length > 0 ? confirming : undefined].flatMap((seconds) =>
        seconds == null ? [] : [seconds * 1_000],
      ),
    };
  }

  async function count(field: string, statement: Parameters<typeof database.query>[0]): Promise<number> {
    const { rows } = await database.query<Record<string, number>>(statement);
    return rows[0]?.[field] ?? 0;
  }
}

/** True: some definition has more due times than one statement takes. */
async function recordDueTimes({ database, statements }: JobsContext, epoch: number): Promise<boolean> {
  const { rows } = await database.query<DueDefinition>(statements.listDue(batch.definitions));
  let more = rows.length === batch.definitions;
  for (const definition of rows) {
    const { id, schedule, cursor_ms: cursorMs, now_ms: nowMs, paused } = definition;
    const window = decideDueWindow({
      schedule,
      cursorMs,
      nowMs,
      catchUp: definition.catch_up,
      limit: batch.slots,
      ...(definition.skip_late_after_seconds !== null && {
        skipLateAfterMs: definition.skip_late_after_seconds * 1_000,
      }),
    });
    const slots = window.slots.map(({ scheduledForMs: at, outcome, reason }) => {
      const fire = outcome === 'fired' || outcome === 'caught-up';
      return fire && paused
        ? { at, outcome: 'skipped-paused', reason: 'the job is paused', fire: false }
        : { at, outcome, reason: reason ?? null, fire };
    });
    const next = nextDueTimes(schedule, window.cursorMs, 1)[0]?.scheduledForMs ?? null;
    await database.query(statements.recordDue(epoch, id, cursorMs, window.cursorMs, next, JSON.stringify(slots)));
    more ||= window.more;
  }
  return more;
}

/** Of the silence: rows older than that are looked up in Redis. */
const quietShare = 0.25;

async function hearRedis({ database, statements, pulse }: JobsContext, epoch: number, silent: number): Promise<void> {
  if (!pulse) return;
  const { rows } = await database.query<{ id: number }>(statements.listQuiet(silent * quietShare));
  const heard = await pulse.heard(rows.map(({ id }) => id));
  if (heard.size === 0) return;
  const workers = [...heard].map(([id, { ageMs, load }]) => ({ id, age: ageMs / 1_000, load }));
  await database.query(statements.hearWorkers(epoch, JSON.stringify(workers)));
}

async function assignRuns(
  { database, statements, pulse }: JobsContext,
  epoch: number,
  silentSeconds: number,
): Promise<void> {
  const { rows: runs } = await database.query<GatedRun>(statements.listGated(batch.gated));
  if (runs.length === 0) return;
  const { rows } = await database.query<Candidate & { told: number }>(statements.listCandidates(silentSeconds));
  // The rows are written rarely where Redis carries the beats; it knows the loads of this second.
  const heard = await pulse?.heard(rows.map(({ id }) => id));
  const candidates = rows.map(({ told, ...worker }) => ({
    ...worker,
    load: worker.load - told + (heard?.get(worker.id)?.load ?? told),
  }));
  for (const [workerId, ids] of assignGated(runs, candidates)) {
    // A later leader gives it away: our epoch is over, and the database would refuse as well.
    const free = pulse ? await pulse.lease(ids, epoch) : ids;
    if (free.length > 0) await database.query(statements.assign(`{${free.join(',')}}`, workerId, epoch));
  }
}
