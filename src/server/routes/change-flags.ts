import type { Rollout } from '../../systems/telemetry/index.ts';
import type { Call } from '../call.ts';
import { ProblemError } from '../problem.ts';
import { readBody } from '../read-request.ts';
import { showRollout } from '../show-rollout.ts';
import { flagsBody } from '../telemetry-contract.ts';
import { autosaveRollout, telemetryOf } from '../telemetry-of.ts';

/** Promotes, rolls back or sets the rollout that the caller has seen; 409 when it is another one by now. */
export async function changeFlags(call: Call): Promise<Response> {
  const body = await readBody(call, flagsBody);
  const { rollouts } = telemetryOf(call);
  const actor = call.caller?.name ?? 'unknown';
  const rollout = await rollouts.read(autosaveRollout);
  if (rollout.version !== body.version) {
    throw new ProblemError({
      status: 409,
      code: 'rollout-changed',
      detail: `The rollout is at version ${rollout.version}, not ${body.version}: look at it again, then decide again.`,
    });
  }
  const change = (): Promise<Rollout> => {
    switch (body.action) {
      case 'promote':
        return rollouts.promote({ rollout, actor });
      case 'rollback':
        return rollouts.rollback({ rollout, actor, ...(body.phase && { phase: body.phase }) });
      case 'set': {
        const settings = Object.fromEntries(
          Object.entries(body.settings ?? {}).filter(([, value]) => value !== undefined),
        );
        return rollouts.set({ rollout, actor, settings, ...(body.phase && { phase: body.phase }) });
      }
    }
  };
  return Response.json(await showRollout(rollouts, await change(), { limit: 100 }));
}
