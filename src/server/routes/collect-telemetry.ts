import type { Call } from '../call.ts';
import { ProblemError } from '../problem.ts';
import { readJson } from '../read-request.ts';
import type { CollectReply } from '../telemetry-contract.ts';
import { checkPublisher, telemetryOf } from '../telemetry-of.ts';

/** Takes a batch of events; 200 means that what was accepted is stored. */
export async function collectTelemetry(call: Call): Promise<Response> {
  checkPublisher(call);
  const { metrics } = call.services;
  const reply = await telemetryOf(call).collector.collect(await readJson(call), call.address ?? 'unknown');
  switch (reply.outcome) {
    case 'stored':
      metrics.countTelemetry('accepted', reply.accepted);
      metrics.countTelemetry('refused', reply.refused.length);
      return Response.json({ accepted: reply.accepted, refused: reply.refused } satisfies CollectReply);
    case 'malformed':
      metrics.countTelemetry('malformed', 1);
      throw new ProblemError({
        status: 400,
        code: 'invalid-argument',
        detail: `The batch is not understood (${reply.reason}); nothing was stored.`,
      });
    case 'limited':
      metrics.countTelemetry('limited', 1);
      throw new ProblemError({
        status: 429,
        code: 'too-many-events',
        detail: 'This address has sent too many events; nothing was stored.',
        headers: { 'retry-after': String(Math.ceil(reply.retryAfterMs / 1000)) },
      });
  }
}
