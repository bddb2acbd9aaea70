import { hideTargetSecrets, type JobInfo } from '../systems/jobs/index.ts';
import type { Call } from './call.ts';

/** A definition for this caller: only who may write headers and variables reads their values. */
export function showJob(job: JobInfo, { caller }: Call): JobInfo {
  if (job.target === null || caller?.role === 'admin') return job;
  return { ...job, target: hideTargetSecrets(job.target) };
}
