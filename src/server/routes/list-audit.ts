import type { Call } from '../call.ts';
import { type AuditReply, auditQuery } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { pageOf } from '../paging/page-of.ts';
import { readQuery } from '../read-request.ts';

/** What operators did, newest first. */
export async function listAudit(call: Call): Promise<Response> {
  const { cursor, limit = 50, ...filter } = readQuery(call, auditQuery);
  const { rows, more } = await pageOf({
    list: 'audit',
    limit,
    read: (count) => jobsOf(call).read.audit({ ...filter, ...(cursor && { beforeId: cursor[0] }), limit: count }),
    placeOf: ({ id }) => [id],
  });
  return Response.json({ entries: rows, ...more } satisfies AuditReply);
}
