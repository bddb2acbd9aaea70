import type { RunFilter } from '../systems/jobs/index.ts';
import type { Call } from './call.ts';
import { ProblemError } from './problem.ts';

/** Whoever may search for a value knows it soon: what is hidden is not searched either. */
export function refuseHidden({ services }: Call, { payload }: RunFilter): void {
  const hidden = payload?.path.find((name) => services.redaction.hides(name));
  if (hidden === undefined) return;
  throw new ProblemError({
    status: 400,
    code: 'invalid-argument',
    detail: `"${hidden.slice(0, 100)}" is hidden, so it cannot be searched for.`,
  });
}
