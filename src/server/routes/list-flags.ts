import type { Call } from '../call.ts';
import type { FlagsReply } from '../telemetry-contract.ts';
import { autosaveRollout, telemetryOf } from '../telemetry-of.ts';

export async function listFlags(call: Call): Promise<Response> {
  const { rollouts } = telemetryOf(call);
  const [rollout, changes] = await Promise.all([rollouts.read(autosaveRollout), rollouts.listChanges(autosaveRollout)]);
  return Response.json({ rollout, changes } satisfies FlagsReply);
}
