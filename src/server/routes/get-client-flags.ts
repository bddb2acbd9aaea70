import { isOn } from '../../core/rollout/rollout.ts';
import type { Call } from '../call.ts';
import { readQuery } from '../read-request.ts';
import { type ClientFlagsReply, clientFlagsQuery } from '../telemetry-contract.ts';
import { autosaveRollout, checkPublisher, telemetryOf } from '../telemetry-of.ts';

/** What one client has; asked by pages. */
export async function getClientFlags(call: Call): Promise<Response> {
  checkPublisher(call);
  const { client } = readQuery(call, clientFlagsQuery);
  const { phase, settings } = await telemetryOf(call).rollouts.read(autosaveRollout);
  return Response.json({ phase, autosave: isOn(settings, phase, client) } satisfies ClientFlagsReply);
}
