/** What guards are acted out with: the steps that many of them share. */
import { expect } from 'vitest';
import type { ClaimedRun } from '../../src/systems/jobs/worker/claimed-run.ts';
import type { JobsRig } from './jobs-rig.ts';

export const silentAfter = 10;
export const confirming = 2.4;
const overdueMargin = 10;

export function only<T>(rows: readonly T[]): T {
  expect(rows).toHaveLength(1);
  return rows[0] as T;
}

/** A worker with one RUNNING run of a job without backoff. */
export async function running(
  rig: JobsRig,
  options: { readonly timeoutSeconds?: number; readonly maxRetries?: number } = {},
): Promise<{ readonly job: number; readonly worker: number; readonly run: ClaimedRun }> {
  const job = await rig.define({ name: 'job', backoff: { baseMs: 0, maxMs: 0 }, ...options });
  const worker = await rig.worker([job]);
  await rig.enqueue(job);
  return { job, worker, run: only(await rig.claim(worker, job)) };
}

/** A worker, and two runs that only a leader gives out, one at a time. */
export async function gated(
  rig: JobsRig,
): Promise<{ readonly job: number; readonly worker: number; readonly ids: readonly number[] }> {
  const job = await rig.define({ name: 'gated', concurrency: 'forbid' });
  const worker = await rig.worker([job]);
  return { job, worker, ids: [await rig.enqueue(job), await rig.enqueue(job)] };
}

export async function passDeadline(rig: JobsRig): Promise<void> {
  await rig.sql(`update jobs.job_runs set continuation_check_deadline_at = now() - interval '1 second'
where continuation_state = 'CONFIRMING'`);
}

/** How many runs the leader ended. */
export async function rescue(rig: JobsRig, epoch: number): Promise<number> {
  const [row] = await rig.do<{ ended: number }>('rescueRunning', epoch, silentAfter, overdueMargin, 100);
  return row?.ended ?? 0;
}

export function beat(
  rig: JobsRig,
  worker: number,
  ids: readonly number[],
): Promise<readonly { readonly id: number | null }[]> {
  return rig.do('heartbeat', worker, `{${ids.join(',')}}`, 0, false, silentAfter, 0);
}

/** Runs that have not ended. */
export async function live(rig: JobsRig): Promise<number> {
  return only(await rig.sql<{ n: number }>('select count(*)::int as n from jobs.job_runs')).n;
}
