import type { Call } from '../call.ts';
import { type AuditReply, auditQuery } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { readQuery } from '../read-request.ts';

/** What operators did, newest first. */
export async function listAudit(call: Call): Promise<Response> {
  const query = readQuery(call, auditQuery);
  const { limit = 50 } = query;
  const entries = await jobsOf(call).read.audit({ ...query, limit });
  const next = entries.length < limit ? null : (entries.at(-1)?.id ?? null);
  return Response.json({ entries, next } satisfies AuditReply);
}
