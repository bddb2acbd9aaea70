import type { Call, TelemetryServices } from './call.ts';
import { ProblemError } from './problem.ts';
import { isSameOrigin } from './same-origin.ts';

/** The rollout that everything here is about. */
export const autosaveRollout = 'autosave';

export function telemetryOf({ services }: Call): TelemetryServices {
  const { telemetry } = services.systems;
  if (!telemetry) throw new Error('A telemetry route is served without telemetry.');
  return telemetry;
}

/** A page of this server, or one that shows the publishable key: a beacon can carry no header, so it is in the query. */
export function checkPublisher(call: Call): void {
  const { publishableKey } = telemetryOf(call);
  if (publishableKey !== undefined && call.query.get('key') === publishableKey) return;
  if (isSameOrigin(call.request, call.services.publicHost)) return;
  throw new ProblemError({
    status: 403,
    code: 'forbidden',
    detail: 'Only pages of this server may send this, or those that add ?key= with the publishable key.',
  });
}
