import { LeaseError } from '../core/errors.ts';
import type { LostReason } from '../core/events.ts';
import { nameOf } from '../core/grant-id.ts';
import { checkKey } from '../core/lease-arguments.ts';
import type { ClaimReply } from '../core/ports.ts';
import type { Grant } from './keeper/grant.ts';
import type { KeeperContext } from './keeper/keeper-context.ts';

export type LeaseState = 'held' | 'jeopardy' | 'lost' | 'released';

/** A right that this process holds for now. Check `isHeld()` right before a write; fence the write itself. */
export interface Lease extends AsyncDisposable {
  readonly key: string;
  /** The fencing number of this holder: strictly above that of every earlier one. */
  readonly token: number;
  /** The grant id under which the store knows the holder. */
  readonly owner: string;
  /** Aborted when the lease is lost, before its TTL ends, also when the store hangs. Not aborted by `release`. */
  readonly signal: AbortSignal;
  readonly state: LeaseState;
  /** Set once `state` is `lost`. */
  readonly lostReason: LostReason | undefined;
  /** Synchronous: true only before both local deadlines. Notices a sleep or a blocked event loop at once. */
  isHeld(): boolean;
  /** Throws `LeaseError` with code `lost` unless held. */
  assertHeld(): void;
  /** Renews now, beside the heartbeat. False: it could not be renewed; see `state`. */
  renew(): Promise<boolean>;
  /** Gives it back. Never throws. False: it was no longer held, or the store did not answer (it ends with its TTL). */
  release(): Promise<boolean>;
  /** Raises the fence of `resource` to this token: call it before you read what you will write. */
  claim(resource: string): Promise<ClaimReply>;
}

export interface LeaseParts {
  readonly context: KeeperContext;
  readonly grant: Grant;
  readonly token: number;
  readonly renew: () => Promise<boolean>;
  /** Gives the grant on or back; called once, only if the lease was not lost. */
  readonly giveBack: () => Promise<boolean>;
  readonly onLost: () => void;
}

/** Binds a grant to one holder with a number of its own. */
export function createLease({ context, grant, token, renew, giveBack, onLost }: LeaseParts): Lease {
  const { key, owner } = grant;
  const sinceMs = context.clock.monotonicMs();
  let controller: AbortController | undefined;
  let lostReason: LostReason | undefined;
  let released: Promise<boolean> | undefined;

  const lostError = (reason: LostReason): LeaseError =>
    new LeaseError(`The lease "${key}" (token ${token}) was lost: ${describeLoss(reason)}.`, {
      code: 'lost',
      key,
      ...(reason.kind === 'deadline' && reason.cause !== undefined ? { cause: reason.cause } : {}),
    });

  let jeopardyCause: unknown;
  grant.holder = {
    onJeopardy(cause) {
      jeopardyCause = cause;
      context.emit({ type: 'jeopardy', key, token, cause });
    },
    onRecovered() {
      jeopardyCause = undefined;
      context.emit({ type: 'recovered', key, token });
    },
    onLost(reason) {
      lostReason =
        reason.kind === 'deadline' && jeopardyCause !== undefined ? { ...reason, cause: jeopardyCause } : reason;
      context.emit({ type: 'lost', key, token, reason: lostReason });
      controller?.abort(lostError(lostReason));
      onLost();
    },
  };

  const lease: Lease = {
    key,
    token,
    owner,
    get signal() {
      controller ??= new AbortController();
      if (lostReason && !controller.signal.aborted) controller.abort(lostError(lostReason));
      return controller.signal;
    },
    get state() {
      if (released) return 'released';
      return grant.state === 'held' || grant.state === 'jeopardy' ? grant.state : 'lost';
    },
    get lostReason() {
      return lostReason;
    },
    isHeld() {
      if (released || lostReason) return false;
      if (grant.isHeld()) return true;
      // The timer may be late (a blocked loop, a sleep): whoever looks first ends it.
      grant.lose({ kind: 'deadline' });
      return false;
    },
    assertHeld() {
      if (lease.isHeld()) return;
      if (lostReason) throw lostError(lostReason);
      throw new LeaseError(`The lease "${key}" (token ${token}) was released.`, { code: 'lost', key });
    },
    async renew() {
      return lease.isHeld() ? renew() : false;
    },
    release() {
      released ??= (async () => {
        if (lostReason) return false;
        grant.holder = undefined;
        const given = await giveBack();
        if (given) context.emit({ type: 'released', key, token, heldMs: context.clock.monotonicMs() - sinceMs });
        return given;
      })();
      return released;
    },
    async claim(resource) {
      checkKey(resource, 'resource');
      lease.assertHeld();
      return context.store.claim({ resource, token });
    },
    async [Symbol.asyncDispose]() {
      await lease.release();
    },
  };
  return lease;
}

function describeLoss(reason: LostReason): string {
  switch (reason.kind) {
    case 'broken':
      return `${reason.by} broke it (${reason.reason})`;
    case 'taken':
      return `${nameOf(reason.holder)} holds it now`;
    case 'expired':
      return 'it had expired when it was renewed';
    case 'deadline':
      return 'it could not be renewed in time';
    case 'closed':
      return 'the keeper was closed';
  }
}
