/**
 * Which worker gets which gated run: the least loaded that serves its queue and has its handler. Pure; the statement
 * that assigns judges again.
 */
export interface GatedRun {
  readonly id: number;
  readonly job_definition_id: number;
  readonly queue_id: number;
  /** Who had it before it was orphaned. */
  readonly assigned_worker_id: number | null;
}

export interface Candidate {
  readonly id: number;
  readonly capacity: number;
  /** Runs under way or given. */
  readonly load: number;
  readonly leading: boolean;
  readonly queue_ids: readonly number[];
  readonly definition_ids: readonly number[];
}

/** A worker may be given this many times its slots: one that is always busy with other runs would get nothing else. */
const aheadOfSlots = 2;

/** Runs by worker. A run that nobody can take is left where it is. */
export function assignGated(
  runs: readonly GatedRun[],
  candidates: readonly Candidate[],
): ReadonlyMap<number, readonly number[]> {
  const load = new Map(candidates.map(({ id, load: now }) => [id, now]));
  const loadOf = ({ id, capacity }: Candidate): number => (load.get(id) ?? 0) / Math.max(1, capacity);
  const chosen = new Map<number, number[]>();
  for (const run of runs) {
    const able = candidates.filter(
      ({ queue_ids: queues, definition_ids: definitions }) =>
        queues.includes(run.queue_id) && definitions.includes(run.job_definition_id),
    );
    // Whoever leads works only if nobody else can; whoever lost the run gets it back only if there is nobody at all.
    const rank = (candidate: Candidate): number =>
      (candidate.leading ? 1 : 0) + (candidate.id === run.assigned_worker_id ? 2 : 0);
    const [best] = able
      .filter((candidate) => (load.get(candidate.id) ?? 0) < candidate.capacity * aheadOfSlots)
      .sort((a, b) => rank(a) - rank(b) || loadOf(a) - loadOf(b) || a.id - b.id);
    if (!best) continue;
    load.set(best.id, (load.get(best.id) ?? 0) + 1);
    chosen.set(best.id, [...(chosen.get(best.id) ?? []), run.id]);
  }
  return chosen;
}
