/** Every statement of the lease store for one schema, named for preparing. */
import type { LeaseDurability } from './lease-durability.ts';
import { quoteSchema } from './schema-name.ts';
import { statementName } from './statement-name.ts';
import { acquireStatement } from './statements/acquire.ts';
import { acquireAllStatement } from './statements/acquire-all.ts';
import { acquireShareStatement } from './statements/acquire-share.ts';
import { breakLeaseStatement } from './statements/break-lease.ts';
import { claimFenceStatement } from './statements/claim-fence.ts';
import { explainLossStatement } from './statements/explain-loss.ts';
import { leaveStatement } from './statements/leave.ts';
import { listLeasesStatement } from './statements/list-leases.ts';
import { releaseStatement } from './statements/release.ts';
import { releaseShareStatement } from './statements/release-share.ts';
import { renewStatement } from './statements/renew.ts';
import { renewSharesStatement } from './statements/renew-shares.ts';
import { renewUnlockedStatement } from './statements/renew-unlocked.ts';
import { sweepStatement } from './statements/sweep.ts';
import { tryAcquireStatement } from './statements/try-acquire.ts';

export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

export interface LeaseStatements {
  readonly acquire: NamedStatement;
  readonly acquireAll: NamedStatement;
  readonly acquireShare: NamedStatement;
  readonly breakLease: NamedStatement;
  readonly claimFence: NamedStatement;
  readonly explainLoss: NamedStatement;
  readonly leave: NamedStatement;
  readonly listLeases: NamedStatement;
  readonly release: NamedStatement;
  readonly releaseShare: NamedStatement;
  readonly renew: NamedStatement;
  readonly renewShares: NamedStatement;
  readonly renewUnlocked: NamedStatement;
  readonly sweep: NamedStatement;
  readonly tryAcquire: NamedStatement;
}

export function leaseStatements(schemaName: string, durability: LeaseDurability): LeaseStatements {
  const schema = quoteSchema(schemaName);
  const relaxed = durability === 'relaxed';
  return {
    acquire: named('acquire', acquireStatement(schema, relaxed)),
    acquireAll: named('acquire_all', acquireAllStatement(schema)),
    acquireShare: named('acquire_share', acquireShareStatement(schema)),
    breakLease: named('break', breakLeaseStatement(schema)),
    claimFence: named('claim', claimFenceStatement(schema)),
    explainLoss: named('explain_loss', explainLossStatement(schema)),
    leave: named('leave', leaveStatement(schema)),
    listLeases: named('list', listLeasesStatement(schema)),
    release: named('release', releaseStatement(schema, durability)),
    releaseShare: named('release_share', releaseShareStatement(schema)),
    renew: named('renew', renewStatement(schema, relaxed)),
    renewShares: named('renew_shares', renewSharesStatement(schema)),
    renewUnlocked: named('renew_unlocked', renewUnlockedStatement(schema, relaxed)),
    sweep: named('sweep', sweepStatement(schema)),
    tryAcquire: named('try', tryAcquireStatement(schema, relaxed)),
  };
}

function named(verb: string, text: string): NamedStatement {
  return { name: statementName(verb, text), text };
}
