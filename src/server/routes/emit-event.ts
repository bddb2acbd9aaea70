import type { Call } from '../call.ts';
import { eventBody } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { readBody } from '../read-request.ts';

/** 201: stored. 200: its dedupe key was seen before, nothing changed. `Idempotency-Key` stands for the field. */
export async function emitEvent(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const {
    name,
    payload,
    dedupeKey = call.request.headers.get('idempotency-key') ?? undefined,
  } = await readBody(call, eventBody);
  const created = await jobs.emit(name, payload, dedupeKey === undefined ? {} : { dedupeKey });
  return Response.json({ created }, { status: created ? 201 : 200 });
}
