import type { Call } from '../call.ts';
import { readQuery } from '../read-request.ts';
import { type IncidentsReply, incidentsQuery } from '../telemetry-contract.ts';
import { telemetryOf } from '../telemetry-of.ts';

export async function listIncidents(call: Call): Promise<Response> {
  const { limit = 100 } = readQuery(call, incidentsQuery);
  return Response.json({ incidents: await telemetryOf(call).reporter.listIncidents(limit) } satisfies IncidentsReply);
}
