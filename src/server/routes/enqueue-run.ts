import type { Enqueued } from '../../systems/jobs/index.ts';
import type { Call } from '../call.ts';
import { enqueueBody } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { readBody } from '../read-request.ts';

/** One run. The header `Idempotency-Key` stands for the field; a key seen before answers with the run that has it. */
export async function enqueueRun(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const { payload, ...options } = await readBody(call, enqueueBody);
  const header = call.request.headers.get('idempotency-key');
  const key = header === null ? {} : { idempotencyKey: header };
  const enqueued = await jobs.enqueue(call.params.name ?? '', payload, { ...key, ...options });
  return Response.json(enqueued satisfies Enqueued, { status: enqueued.created ? 201 : 200 });
}
