import { grantId, safeProcessName } from '../core/grant-id.ts';
import type { Call } from './call.ts';

/** A grant id for a caller who brought none. Nobody else knows it, so its line place dies with the request. */
export function makeOwner({ services, caller }: Call): string {
  return grantId(services.random.hex(8), 1, safeProcessName(caller?.name ?? ''));
}
