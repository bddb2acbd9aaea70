import type { ActOptions, Jobs } from '../systems/jobs/index.ts';
import type { Call } from './call.ts';
import { ProblemError } from './problem.ts';

/** The jobs of this server, or a 501 where it was started without them. */
export function jobsOf({ services }: Call): Jobs {
  if (services.jobs) return services.jobs;
  throw new ProblemError({ status: 501, code: 'unsupported', detail: 'This server was started without jobs.' });
}

/** Who acts is the token's name, so that nobody can sign for another in the audit. */
export function actorOf({ caller }: Call, why: string | undefined): ActOptions {
  return { by: caller?.name ?? 'unknown', ...(why !== undefined && { why }) };
}

export function noSuchJob(name: string): ProblemError {
  return new ProblemError({ status: 404, code: 'unknown-job', detail: `No job is called "${name.slice(0, 200)}".` });
}

export function noSuchRun(id: number): ProblemError {
  return new ProblemError({ status: 404, code: 'not-found', detail: `There is no run ${id}.` });
}

export function noSuchWorker(id: number): ProblemError {
  return new ProblemError({ status: 404, code: 'not-found', detail: `There is no live worker ${id}.` });
}
