import { LeaseError } from '../core/errors.ts';
import type { LostReason } from '../core/events.ts';
import { nameOf } from '../core/grant-id.ts';
import { checkKey } from '../core/lease-arguments.ts';
import type { ClaimReply } from '../core/ports.ts';
import type { Grant, GrantHolder } from './keeper/grant.ts';
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

/** Where a lease comes from, and where it goes when it ends. */
export interface LeaseHome {
  /** Renews now. False: it could not be renewed. */
  renew(grant: Grant): Promise<boolean>;
  /** Gives the grant on or back; called once, only if the lease was not lost. */
  giveBack(grant: Grant, token: number, heldSinceMs: number): Promise<boolean>;
  /** Called when the grant was lost while held. */
  lost(grant: Grant): void;
}

export interface LeaseParts {
  readonly context: KeeperContext;
  readonly grant: Grant;
  readonly token: number;
  readonly home: LeaseHome;
  /** Monotonic. */
  readonly sinceMs: number;
  /** Made ahead by those who will want the signal, while they wait. @default made when the signal is first asked for */
  readonly controller?: AbortController | undefined;
}

/** Binds a grant to one holder with a number of its own. */
export function createLease(parts: LeaseParts): Lease {
  return new HeldLease(parts);
}

/** A class for once: it has identity and a life of its own, and making one is a part of every acquire. */
class HeldLease implements Lease, GrantHolder {
  readonly key: string;
  readonly token: number;
  readonly owner: string;
  readonly #parts: LeaseParts;
  #controller: AbortController | undefined;
  #lostReason: LostReason | undefined;
  #jeopardyCause: unknown;
  #released: Promise<boolean> | undefined;

  constructor(parts: LeaseParts) {
    const { grant } = parts;
    this.key = grant.key;
    this.token = parts.token;
    this.owner = grant.owner;
    this.#parts = parts;
    this.#controller = parts.controller;
    grant.holder = this;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#lostReason && !this.#controller.signal.aborted) this.#controller.abort(this.#lostError(this.#lostReason));
    return this.#controller.signal;
  }

  get state(): LeaseState {
    if (this.#released) return 'released';
    const { state } = this.#parts.grant;
    return state === 'held' || state === 'jeopardy' ? state : 'lost';
  }

  get lostReason(): LostReason | undefined {
    return this.#lostReason;
  }

  isHeld(): boolean {
    if (this.#released || this.#lostReason) return false;
    const { grant } = this.#parts;
    if (grant.isHeld()) return true;
    // The timer may be late (a blocked loop, a sleep): whoever looks first ends it.
    grant.lose({ kind: 'deadline' });
    return false;
  }

  assertHeld(): void {
    if (this.isHeld()) return;
    if (this.#lostReason) throw this.#lostError(this.#lostReason);
    throw new LeaseError(`The lease "${this.key}" (token ${this.token}) was released.`, {
      code: 'lost',
      key: this.key,
    });
  }

  async renew(): Promise<boolean> {
    return this.isHeld() ? this.#parts.home.renew(this.#parts.grant) : false;
  }

  release(): Promise<boolean> {
    this.#released ??= this.#giveBack();
    return this.#released;
  }

  async claim(resource: string): Promise<ClaimReply> {
    checkKey(resource, 'resource');
    this.assertHeld();
    return this.#parts.context.store.claim({ resource, token: this.token });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }

  onJeopardy(cause: unknown): void {
    this.#jeopardyCause = cause;
    this.#parts.context.emit({ type: 'jeopardy', key: this.key, token: this.token, cause });
  }

  onRecovered(): void {
    this.#jeopardyCause = undefined;
    this.#parts.context.emit({ type: 'recovered', key: this.key, token: this.token });
  }

  onLost(reason: LostReason): void {
    const cause = this.#jeopardyCause;
    this.#lostReason = reason.kind === 'deadline' && cause !== undefined ? { ...reason, cause } : reason;
    this.#parts.context.emit({ type: 'lost', key: this.key, token: this.token, reason: this.#lostReason });
    this.#controller?.abort(this.#lostError(this.#lostReason));
    this.#parts.home.lost(this.#parts.grant);
  }

  #giveBack(): Promise<boolean> {
    if (this.#lostReason) return Promise.resolve(false);
    const { grant, home, token, sinceMs } = this.#parts;
    grant.holder = undefined;
    return home.giveBack(grant, token, sinceMs);
  }

  #lostError(reason: LostReason): LeaseError {
    return new LeaseError(`The lease "${this.key}" (token ${this.token}) was lost: ${describeLoss(reason)}.`, {
      code: 'lost',
      key: this.key,
      ...(reason.kind === 'deadline' && reason.cause !== undefined ? { cause: reason.cause } : {}),
    });
  }
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
