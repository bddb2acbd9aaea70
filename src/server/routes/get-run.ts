import type { Call } from '../call.ts';
import type { RunReply } from '../job-contract.ts';
import { jobsOf, noSuchRun } from '../jobs-of.ts';
import { readId } from '../read-request.ts';

/** A run, every step it took, and how far a cancel of it has come. */
export async function getRun(call: Call): Promise<Response> {
  const { read } = jobsOf(call);
  const id = readId(call);
  const run = await read.run(id);
  if (!run) throw noSuchRun(id);
  const [transitions, cancel] = await Promise.all([read.transitions(id), read.cancel(id)]);
  const { redaction } = call.services;
  const shown = { ...run, payload: redaction.hide(run.payload), result: redaction.hide(run.result) };
  return Response.json({ run: shown, transitions, cancel: cancel ?? null } satisfies RunReply);
}
