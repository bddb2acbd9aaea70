import type { AnalysisReader } from '../systems/analysis/index.ts';
import type { Call } from './call.ts';
import { ProblemError } from './problem.ts';

/** Analyses that are kept elsewhere are looked at there. */
export function analysesOf({ services }: Call): AnalysisReader {
  const reader = services.systems.analysis?.reader;
  if (reader) return reader;
  throw new ProblemError({
    status: 501,
    code: 'unsupported',
    detail: 'This server keeps its analyses elsewhere; look at them there.',
  });
}
