import type { Call } from '../call.ts';
import { type AuditReply, auditQuery } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { readQuery } from '../read-request.ts';

/** What operators did, newest first. */
export async function listAudit(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  return Response.json({ entries: await jobs.read.audit(readQuery(call, auditQuery)) } satisfies AuditReply);
}
