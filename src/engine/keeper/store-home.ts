import type { LeaseHome } from '../lease.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { KeeperContext } from './keeper-context.ts';
import { releaseGrant } from './release-grant.ts';

/** For leases that go straight back to the store: nobody in this process inherits them. */
export function storeHome(context: KeeperContext, heartbeat: Heartbeat): LeaseHome {
  return {
    renew: (grant) => renewOne(heartbeat, grant),
    giveBack(grant, token, heldSinceMs) {
      heartbeat.remove(grant);
      return releaseGrant(context, grant, token, heldSinceMs);
    },
    lost: (grant) => heartbeat.remove(grant),
  };
}

export async function renewOne(heartbeat: Heartbeat, grant: Parameters<LeaseHome['renew']>[0]): Promise<boolean> {
  return (await heartbeat.renew([grant]))[0] === true;
}
