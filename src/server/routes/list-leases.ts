import type { Call } from '../call.ts';
import { type ListReply, listQuery } from '../contract.ts';
import { readQuery } from '../read-request.ts';

export async function listLeases(call: Call): Promise<Response> {
  const { prefix, limit = 100 } = readQuery(call, listQuery);
  const leases = await call.services.store.list({ limit, ...(prefix !== undefined && { prefix }) });
  return Response.json({ leases } satisfies ListReply);
}
