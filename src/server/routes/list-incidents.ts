import type { Call } from '../call.ts';
import { pageOf } from '../paging/page-of.ts';
import { readQuery } from '../read-request.ts';
import { type IncidentsReply, incidentsQuery } from '../telemetry-contract.ts';
import { telemetryOf } from '../telemetry-of.ts';

/** Newest first. */
export async function listIncidents(call: Call): Promise<Response> {
  const { cursor, limit = 100 } = readQuery(call, incidentsQuery);
  const { rows, more } = await pageOf({
    list: 'incidents',
    limit,
    read: (count) =>
      telemetryOf(call).reporter.listIncidents({ limit: count, ...(cursor && { beforeVersion: cursor[0] }) }),
    placeOf: ({ version }) => [version],
  });
  return Response.json({ incidents: rows, ...more } satisfies IncidentsReply);
}
