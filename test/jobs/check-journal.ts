/** Judges a journal: what is wrong with it, in sentences; nothing = a good history. */
import { isDeclared } from '../../src/core/transition.ts';
import { isEndJobState, type JobState, jobTransitions } from '../../src/systems/jobs/job-state.ts';
import type { JournalEntry, JournalRow } from './job-journal.ts';

/** A finish that was accepted, as its sender meant it. */
export interface AcceptedFinish {
  readonly runId: number;
  readonly workerId: number;
  readonly epoch: number;
  readonly version: number;
  readonly attempt: number;
}

/** A start that was accepted: the worker goes on to execute it. */
export interface AcceptedStart {
  readonly runId: number;
  readonly workerId: number;
  /** After the start. */
  readonly version: number;
}

/** Words that only a leader's statements write. */
const leadersWords = new Set(['assigned', 'worker lost', 'worker-silent', 'overdue', 'late', 'replaced']);

export interface JournalCheck {
  readonly entries: readonly JournalEntry[];
  readonly finishes: readonly AcceptedFinish[];
  readonly starts: readonly AcceptedStart[];
  readonly maxRetries: number;
}

export function checkJournal({ entries, finishes, starts, maxRetries }: JournalCheck): readonly string[] {
  return [
    ...checkPaths(entries),
    ...checkOwners(entries, finishes),
    ...checkStarters(entries, starts),
    ...checkEpochs(entries),
    ...checkChains(entries),
    ...checkKeys(entries),
    ...checkStartTokens(entries),
    ...checkRetries(entries, maxRetries),
  ];
}

/** Only declared transitions, one version each; flags change neither state nor version; one end. */
function checkPaths(entries: readonly JournalEntry[]): readonly string[] {
  const problems: string[] = [];
  const ended = new Map<number, string>();
  const deleted = new Map<number, JournalRow>();
  for (const { what, op, old, new: now } of entries) {
    if (what === 'job_runs' && op === 'INSERT' && now && (now.state !== 'PENDING' || now.version !== 1))
      problems.push(`run ${now.id} began as ${now.state} ${now.version}`);
    if (what === 'job_runs' && op === 'UPDATE' && old && now) problems.push(...checkStep(old, now));
    if (what === 'job_runs' && op === 'DELETE' && old) deleted.set(old.id, old);
    if (what !== 'job_run_history' || !now) continue;
    if (op !== 'INSERT') problems.push(`the history of run ${now.id} was changed`);
    const before = deleted.get(now.id);
    if (!before) problems.push(`run ${now.id} ended without having been alive`);
    else if (!isDeclared(jobTransitions, before.state as JobState, now.state as JobState))
      problems.push(`run ${now.id} went from ${before.state} to ${now.state}`);
    else if (now.version !== before.version + 1) problems.push(`run ${now.id} ended with version ${now.version}`);
    if (ended.has(now.id)) problems.push(`run ${now.id} ended twice`);
    ended.set(now.id, now.state);
  }
  for (const id of deleted.keys()) if (!ended.has(id)) problems.push(`run ${id} disappeared`);
  return problems;
}

function checkStep(old: JournalRow, now: JournalRow): readonly string[] {
  const name = `run ${now.id}: ${old.state} ${old.version} → ${now.state} ${now.version}`;
  if (old.state === now.state) return old.version === now.version ? [] : [`${name}: a flag raised the version`];
  const fused = old.state === 'PENDING' && now.state === 'RUNNING';
  if (!fused && !isDeclared(jobTransitions, old.state as JobState, now.state as JobState))
    return [`${name} is not declared`];
  const problems = now.version === old.version + (fused ? 2 : 1) ? [] : [`${name}: versions were left out`];
  if (old.leader_epoch !== null && now.leader_epoch !== null && now.leader_epoch < old.leader_epoch)
    problems.push(`${name}: the epoch went back`);
  if (now.state === 'RUNNING' && !fused && old.assigned_worker_id !== now.assigned_worker_id)
    problems.push(`${name}: started by another than it was given to`);
  if (old.state === 'ORPHANED' && now.attempt !== old.attempt + 1)
    problems.push(`${name}: a reassignment is a new attempt`);
  return problems;
}

/** A finish that was accepted named what the row said. */
function checkOwners(entries: readonly JournalEntry[], finishes: readonly AcceptedFinish[]): readonly string[] {
  const last = new Map<number, JournalRow>();
  for (const { what, op, old } of entries) if (what === 'job_runs' && op === 'DELETE' && old) last.set(old.id, old);
  return finishes.flatMap(({ runId, workerId, epoch, version, attempt }) => {
    const row = last.get(runId);
    if (!row) return [`the finish of run ${runId} was accepted, but it is still there`];
    const same =
      row.state === 'RUNNING' &&
      row.assigned_worker_id === workerId &&
      row.leader_epoch === epoch &&
      row.version === version &&
      row.attempt === attempt;
    return same
      ? []
      : [
          `run ${runId} was finished by worker ${workerId}, epoch ${epoch}, version ${version}, but it was ${JSON.stringify(row)}`,
        ];
  });
}

/** Whoever was let start it is who the row says. */
function checkStarters(entries: readonly JournalEntry[], starts: readonly AcceptedStart[]): readonly string[] {
  const rows = new Map<string, JournalRow>();
  for (const { what, op, new: now } of entries) {
    if (what === 'job_runs' && op === 'UPDATE' && now) rows.set(`${now.id}.${now.version}`, now);
  }
  return starts.flatMap(({ runId, workerId, version }) => {
    const row = rows.get(`${runId}.${version}`);
    return row?.state === 'RUNNING' && row.assigned_worker_id === workerId
      ? []
      : [`worker ${workerId} was let start run ${runId}, but it was ${JSON.stringify(row)}`];
  });
}

/** Once a fence was raised, no older epoch changes anything. */
function checkEpochs(entries: readonly JournalEntry[]): readonly string[] {
  const problems: string[] = [];
  let fence = 0;
  for (const { what, new: now } of entries) {
    if (what === 'fences' && now?.token !== undefined) {
      if (now.token < fence) problems.push(`the fence went from ${fence} to ${now.token}`);
      fence = now.token;
    }
    if (what !== 'job_run_transitions' || !now?.why || !leadersWords.has(now.why)) continue;
    if (now.leader_epoch !== fence)
      problems.push(
        `epoch ${now.leader_epoch} wrote "${now.why}" for run ${now.run_id} while the fence stood at ${fence}`,
      );
  }
  return problems;
}

/** After each statement: one live row per chain of attempts. */
function checkChains(entries: readonly JournalEntry[]): readonly string[] {
  const problems: string[] = [];
  const root = new Map<number, number>();
  const alive = new Map<number, Set<number>>();
  forEachStatement(entries, (statement) => {
    const touched = new Set<number>();
    for (const { what, op, old, new: now } of statement) {
      if (what !== 'job_runs') continue;
      const row = now ?? old;
      if (!row) continue;
      const chain = root.get(row.id) ?? (row.retry_of === null ? row.id : (root.get(row.retry_of) ?? row.retry_of));
      root.set(row.id, chain);
      touched.add(chain);
      const rows = alive.get(chain) ?? new Set<number>();
      alive.set(chain, rows);
      if (op === 'DELETE') rows.delete(row.id);
      else rows.add(row.id);
    }
    for (const chain of touched) {
      const rows = alive.get(chain) ?? new Set();
      if (rows.size > 1) problems.push(`${rows.size} live attempts of run ${chain}: ${[...rows].join(', ')}`);
    }
  });
  return problems;
}

/** After each statement: one active run per concurrency key. */
function checkKeys(entries: readonly JournalEntry[]): readonly string[] {
  const problems: string[] = [];
  const active = new Map<string, Set<number>>();
  forEachStatement(entries, (statement) => {
    for (const { what, op, old, new: now } of statement) {
      const row = now ?? old;
      if (what !== 'job_runs' || !row?.concurrency_key) continue;
      const runs = active.get(row.concurrency_key) ?? new Set<number>();
      active.set(row.concurrency_key, runs);
      if (op !== 'DELETE' && (now?.state === 'ASSIGNED' || now?.state === 'RUNNING')) runs.add(row.id);
      else runs.delete(row.id);
    }
    for (const [key, runs] of active)
      if (runs.size > 1) problems.push(`two active runs of ${key}: ${[...runs].join(', ')}`);
  });
  return problems;
}

function checkStartTokens(entries: readonly JournalEntry[]): readonly string[] {
  const seen = new Map<number, string>();
  const problems: string[] = [];
  for (const { what, op, new: now } of entries) {
    if (what !== 'job_runs' || op !== 'UPDATE' || now?.state !== 'RUNNING' || now.start_token === null) continue;
    const start = `${now.id}.${now.attempt}`;
    const before = seen.get(now.start_token);
    if (before !== undefined && before !== start)
      problems.push(`start token ${now.start_token} was given to ${before} and ${start}`);
    seen.set(now.start_token, start);
  }
  return problems;
}

/** Each failure within the retries has one successor, everything else none. */
function checkRetries(entries: readonly JournalEntry[], maxRetries: number): readonly string[] {
  const successors = new Map<number, number>();
  for (const { what, op, new: now } of entries) {
    if (what === 'job_runs' && op === 'INSERT' && now && now.retry_of !== null)
      successors.set(now.retry_of, (successors.get(now.retry_of) ?? 0) + 1);
  }
  return entries.flatMap(({ what, new: now }) => {
    if (what !== 'job_run_history' || !now || !isEndJobState(now.state as JobState)) return [];
    const wanted =
      (now.state === 'FAILED' || now.state === 'TIMED_OUT') &&
      now.cancel_requested_at === null &&
      now.attempt <= maxRetries
        ? 1
        : 0;
    const found = successors.get(now.id) ?? 0;
    return found === wanted
      ? []
      : [`run ${now.id} (${now.state}, attempt ${now.attempt}) has ${found} successors, not ${wanted}`];
  });
}

/** Entries by transaction, in the order of their last entries: what another transaction could see. */
function forEachStatement(entries: readonly JournalEntry[], visit: (statement: readonly JournalEntry[]) => void): void {
  const statements = new Map<string, JournalEntry[]>();
  for (const entry of entries) {
    const statement = statements.get(entry.tx);
    if (statement) statement.push(entry);
    else statements.set(entry.tx, [entry]);
  }
  for (const statement of statements.values()) visit(statement);
}
