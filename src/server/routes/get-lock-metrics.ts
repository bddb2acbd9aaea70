import type { Call } from '../call.ts';
import { readQuery } from '../read-request.ts';
import { type LockMetricsReply, lockMetricsQuery } from '../telemetry-contract.ts';
import { telemetryOf } from '../telemetry-of.ts';

/** One window's figures per phase, with the judgement; it only looks. */
export async function getLockMetrics(call: Call): Promise<Response> {
  const { windowMs } = readQuery(call, lockMetricsQuery);
  const summary = await telemetryOf(call).reporter.look(windowMs);
  return Response.json(summary satisfies LockMetricsReply);
}
