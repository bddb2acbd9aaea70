import type { Call } from '../call.ts';
import { readQuery } from '../read-request.ts';
import { showRollout } from '../show-rollout.ts';
import { flagsQuery } from '../telemetry-contract.ts';
import { autosaveRollout, telemetryOf } from '../telemetry-of.ts';

export async function listFlags(call: Call): Promise<Response> {
  const { cursor, limit = 100 } = readQuery(call, flagsQuery);
  const { rollouts } = telemetryOf(call);
  const rollout = await rollouts.read(autosaveRollout);
  return Response.json(await showRollout(rollouts, rollout, { limit, ...(cursor && { beforeVersion: cursor[0] }) }));
}
