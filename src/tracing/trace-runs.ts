/** A span around each run's handler, active while it works, so that what the handler calls becomes its children. */
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { StartedRun } from '../systems/jobs/index.ts';
import { tracer } from './tracer.ts';

/** For `around` of a worker. */
export function traceRuns(run: StartedRun, work: () => unknown): unknown {
  const found = tracer();
  if (!found) return work();
  const attributes = { 'kannuki.job': run.job, 'kannuki.run.id': run.id, 'kannuki.run.attempt': run.attempt };
  return found.startActiveSpan(`kannuki run ${run.job}`, { kind: SpanKind.CONSUMER, attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, ...(error instanceof Error && { message: error.name }) });
      throw error;
    } finally {
      span.end();
    }
  });
}
