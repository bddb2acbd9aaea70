export {
  createJobs,
  type EmitOptions,
  type Job,
  type Jobs,
  type JobsOptions,
} from './create-jobs.ts';
