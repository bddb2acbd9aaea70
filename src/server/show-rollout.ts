import type { Rollout, Rollouts } from '../systems/telemetry/index.ts';
import { pageOf } from './paging/page-of.ts';
import type { FlagsReply } from './telemetry-contract.ts';

/** A rollout with a page of its changes, newest first. */
export async function showRollout(
  rollouts: Rollouts,
  rollout: Rollout,
  { limit, beforeVersion }: { readonly limit: number; readonly beforeVersion?: number },
): Promise<FlagsReply> {
  const { rows, more } = await pageOf({
    list: 'flags',
    limit,
    read: (count) =>
      rollouts.listChanges(rollout.name, { limit: count, ...(beforeVersion !== undefined && { beforeVersion }) }),
    placeOf: ({ version }) => [version],
  });
  return { rollout, changes: rows, ...more };
}
