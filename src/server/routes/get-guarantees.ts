import type { Call } from '../call.ts';
import { jobsOf } from '../jobs-of.ts';
import type { GuaranteesReply } from '../run-contract.ts';

/** What must hold in the data, counted now; the clocks; and the last fault runs of this version. */
export async function getGuarantees(call: Call): Promise<Response> {
  const checked = await jobsOf(call).read.guarantees();
  return Response.json({ ...checked, faults: call.services.faultResults() } satisfies GuaranteesReply);
}
