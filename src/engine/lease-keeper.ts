/**
 * The lease keeper: everything a holder needs beside the store. Who may hold is decided in the store; here we ask,
 * wait, keep alive, hand over inside the process and stop in time. See docs/internals/keeper.md.
 */
import { platform as defaultPlatform } from '#platform';
import { LeaseError } from '../core/errors.ts';
import type { LeaseEvent } from '../core/events.ts';
import { grantId, safeProcessName } from '../core/grant-id.ts';
import { type LeaseRules, leaseRules } from '../core/lease.ts';
import { checkKey, checkTtl, checkWait } from '../core/lease-arguments.ts';
import { limits, sharedCapacity } from '../core/limits.ts';
import type { BreakReply, LeaseInfo, LeaseStore, ListRequest, Platform, Share } from '../core/ports.ts';
import type { AcquireOptions, TryOptions } from './acquire-options.ts';
import { type AcquireAllOutcome, acquireSeveral } from './keeper/acquire-several.ts';
import { acquireShared } from './keeper/acquire-shared.ts';
import { createCallWatch } from './keeper/call-watch.ts';
import { createClosing } from './keeper/closing.ts';
import { createHeartbeat } from './keeper/heartbeat.ts';
import type { KeeperContext } from './keeper/keeper-context.ts';
import { scaleTimes, leaseTimes as timesOf } from './keeper/lease-times.ts';
import { createLocalLine, type LocalLine, type Won } from './keeper/local-line.ts';
import { createNoticeBoard } from './keeper/notice-board.ts';
import { releaseGrant } from './keeper/release-grant.ts';
import { shareOf, unsupported } from './keeper/share-of.ts';
import { withTimeLimit } from './keeper/time-limit.ts';
import { waitForTurn } from './keeper/wait-for-turn.ts';
import { createLease, type Lease } from './lease.ts';
import { migrate } from './migrate.ts';
import { type NotAcquired, notAcquiredError } from './not-acquired.ts';

export interface LeasesOptions {
  readonly store: LeaseStore;
  /** How long a grant lasts unless renewed. 50 ms to 24 h. @default 15_000 */
  readonly ttlMs?: number;
  /** The holder stops this long after the last renewal that succeeded was sent. Below `ttlMs`. @default 0.8 × ttlMs */
  readonly renewDeadlineMs?: number;
  /** Pause between renewals, answered or not. Below `renewDeadlineMs`. @default ttlMs / 4 */
  readonly retryPeriodMs?: number;
  /** Shown to people as the holder. @default host and process id */
  readonly name?: string;
  readonly onEvent?: (event: LeaseEvent) => void;
  /** Create or update the store's tables before first use, where it has any. @default true */
  readonly migrate?: boolean;
  /** How long a grant handed over by a release lasts unless the heir renews. @default min(2 s, ttlMs) */
  readonly acceptMs?: number;
  /** Poll of last resort while standing in line. @default min(1 s, acceptMs / 2) */
  readonly pollMs?: number;
  /** Clock, chance and names. @default the platform's */
  readonly platform?: Platform;
  /** Replaced only to plant a broken rule in a simulation. */
  readonly rules?: LeaseRules;
}

export type AcquireOutcome = { readonly acquired: true; readonly lease: Lease } | NotAcquired;
export interface Leases extends AsyncDisposable {
  /** One attempt, one trip. Somebody else holding it is an answer, not an error. */
  tryAcquire(key: string, options?: TryOptions): Promise<AcquireOutcome>;
  /** Waits its turn: first come first served in this process, and over processes where the store has a line. */
  acquire(key: string, options?: AcquireOptions): Promise<AcquireOutcome>;
  /** All keys or none, without deadlock. */
  acquireAll(
    keys: readonly string[],
    options?: Omit<AcquireOptions, 'shared' | 'capacity' | 'weight'>,
  ): Promise<AcquireAllOutcome>;
  /**
   * Runs `work` under a lease and releases it after. Resolves with its result; throws its error; throws `LeaseError`
   * `wait-timeout` or `busy` if not granted, `lost` if the lease ended before the work did.
   */
  withLease<T>(
    key: string,
    options: AcquireOptions,
    work: (lease: Lease, signal: AbortSignal) => Promise<T> | T,
  ): Promise<T>;
  /** An operator's word: ends the holder's lease and tells it why. The token rises. */
  break(key: string, options: { readonly reason: string; readonly by: string }): Promise<BreakReply>;
  /** One page, in the order of the keys; `after` is the last entry of the page before. */
  list(options?: Partial<ListRequest>): Promise<readonly LeaseInfo[]>;
  /** Hears every event; returns how to stop. */
  onEvent(listener: (event: LeaseEvent) => void): () => void;
  /** Releases what is held, refuses who waits. The store stays open: it is yours. */
  close(): Promise<void>;
}

/** Lines without waiters that are kept for the next acquire. */
const idleLinesMax = 256;

interface HeldInFlow {
  readonly lease: Lease;
  readonly share: Share | undefined;
  readonly outer: HeldInFlow | undefined;
}

/** Leases over a store. */
export function createLeases(options: LeasesOptions): Leases {
  const { store, platform = defaultPlatform, rules = leaseRules } = options;
  const { clock, random } = platform;
  const times = timesOf(options);
  const acceptMs = options.acceptMs ?? Math.min(limits.acceptMsMax, times.ttlMs);
  const process = random.hex(6);
  const name = safeProcessName(options.name ?? platform.processName);
  const flow = platform.createFlowContext?.<HeldInFlow>();
  const listeners = new Set<(event: LeaseEvent) => void>(options.onEvent ? [options.onEvent] : []);
  const lines = new Map<string, LocalLine>();
  const background = new Set<Promise<unknown>>();
  const closing = createClosing();
  let grants = 0;
  let closed: Promise<void> | undefined;

  const context: KeeperContext = {
    store,
    calls: createCallWatch(clock),
    clock,
    random,
    rules,
    process,
    acceptMs,
    pollMs: options.pollMs ?? Math.min(limits.pollMsMax, acceptMs / 2),
    newOwner: () => grantId(process, ++grants, name),
    timesFor: (ttlMs) => (ttlMs === undefined || ttlMs === times.ttlMs ? times : scaleTimes(times, ttlMs)),
    emit(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch {
          // A listener's mistake must not reach the protocol; it has its own error handling.
        }
      }
    },
    isHeard: () => listeners.size > 0,
    runInBackground(work, { awaitedByClose = true } = {}) {
      const settled: Promise<unknown> = work.then(
        () => background.delete(settled),
        () => background.delete(settled),
      );
      if (awaitedByClose) background.add(settled);
    },
  };
  const heartbeat = createHeartbeat(context, () => {
    // Whoever holds for longer than a beat wants to hear of a break at once, not at the next beat.
    if (store.capabilities.line === true && !board.isLive()) context.runInBackground(board.ensureLive());
  });
  const board = createNoticeBoard(context, (owner) => {
    const broken = heartbeat.grants().filter((grant) => grant.owner === owner);
    if (broken.length > 0) context.runInBackground(heartbeat.renew(broken));
  });

  let ready: Promise<unknown> | undefined;
  let isReady = store.schema === undefined || options.migrate === false;
  async function prepare(): Promise<void> {
    if (!store.schema) return;
    ready ??= migrate(store.schema.database, store.schema.migrations);
    try {
      await ready;
      isReady = true;
    } catch (error) {
      ready = undefined; // The next call tries again.
      throw error;
    }
  }

  function lineOf(key: string): LocalLine {
    let line = lines.get(key);
    if (!line) {
      const made = createLocalLine({
        context,
        board,
        heartbeat,
        key,
        onIdle: () => {
          // A line that was used once is likely to be used again; a few are kept, not one for every key ever seen.
          if (lines.size > idleLinesMax && lines.get(key) === made) lines.delete(key);
        },
      });
      line = made;
      lines.set(key, line);
    }
    return line;
  }

  /** Not async: every promise more would be felt in an acquire of a free lease. */
  function acquireOne(
    key: string,
    wanted: AcquireOptions,
    once: boolean,
    controller?: AbortController,
  ): Promise<AcquireOutcome> {
    try {
      checkKey(key);
      const { ttlMs, waitMs, signal } = wanted;
      if (ttlMs !== undefined) checkTtl(ttlMs);
      if (waitMs !== undefined) checkWait(waitMs);
      const share = shareOf(store, wanted);
      checkOpen();
      checkReentry(key, share);
      if (signal?.aborted) return Promise.resolve(refuse(key, { acquired: false, reason: 'aborted' }));
      if (isReady) return contendFor(key, wanted, once, share, controller);
      return prepare().then(() => {
        checkOpen();
        return contendFor(key, wanted, once, share, controller);
      });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function contendFor(
    key: string,
    { ttlMs, waitMs, signal }: AcquireOptions,
    once: boolean,
    share: Share | undefined,
    controller: AbortController | undefined,
  ): Promise<AcquireOutcome> {
    const startedMs = clock.monotonicMs();
    const conclude = (outcome: Won | NotAcquired): AcquireOutcome => {
      if (!('grant' in outcome)) return refuse(key, outcome);
      const { grant, token, via, home } = outcome;
      const sinceMs = clock.monotonicMs();
      const lease = createLease({ context, grant, token, home, sinceMs, controller });
      if (context.isHeard()) context.emit({ type: 'acquired', key, token, waitedMs: sinceMs - startedMs, via });
      return { acquired: true, lease };
    };
    const times = context.timesFor(ttlMs);
    if (!share) return waitForTurn({ context, key, times, once, waitMs, signal, line: lineOf(key) }, conclude);
    const request = { context, key, times, once, waitMs, signal, closing, board, heartbeat, share };
    return acquireShared(request).then(conclude);
  }

  function refuse(key: string, outcome: NotAcquired): NotAcquired {
    context.emit({
      type: 'refused',
      key,
      reason: outcome.reason,
      ...(outcome.holder !== undefined && { holder: outcome.holder }),
    });
    return outcome;
  }

  function checkOpen(): void {
    if (closing.isClosing()) throw new LeaseError('These leases were closed.', { code: 'closed' });
  }

  /** Waiting for what one's own caller holds would never end. Counted leases may be taken twice on purpose. */
  function checkReentry(key: string, share: Share | undefined): void {
    for (let held = flow?.get(); held; held = held.outer) {
      if (held.lease.key !== key || !held.lease.isHeld()) continue;
      const counted = (one: Share | undefined): boolean => one !== undefined && one.capacity !== sharedCapacity;
      if (counted(share) && counted(held.share)) continue;
      throw new LeaseError(
        `"${key}" is already held by the code that asks for it; waiting would never end. Pass the lease on instead.`,
        {
          code: 'reentry',
          key,
        },
      );
    }
  }

  async function withLease<T>(
    key: string,
    wanted: AcquireOptions,
    work: (lease: Lease, signal: AbortSignal) => Promise<T> | T,
  ): Promise<T> {
    // Made now, not when our turn comes: a hand-over inside the process is then half as long.
    const outcome = await acquireOne(key, wanted, wanted.waitMs === 0, new AbortController());
    if (!outcome.acquired) throw notAcquiredError(key, outcome, wanted);
    const { lease } = outcome;
    const { signal } = lease;
    try {
      const held: HeldInFlow = { lease, share: shareOf(store, wanted), outer: flow?.get() };
      const result = await (flow ? flow.run(held, () => work(lease, signal)) : work(lease, signal));
      // Work that outlived its lease may have been overlapped: its result must not pass for a good one.
      if (!lease.isHeld() && lease.state === 'lost') lease.assertHeld();
      return result;
    } finally {
      await lease.release();
    }
  }

  /** Until nothing is under way. What ends may start something: a grant that nobody wants any more is released. */
  async function quiet(): Promise<void> {
    do {
      await Promise.all(background);
      await context.calls.quiet();
    } while (background.size > 0);
  }

  async function close(): Promise<void> {
    closing.close();
    for (const line of lines.values()) line.close();
    await Promise.all(heartbeat.grants().map((grant) => grant.holder?.release()));
    const grantsLeft = heartbeat.grants();
    heartbeat.stop();
    await Promise.all(grantsLeft.map((grant) => releaseGrant(context, grant, grant.lastToken)));
    // A store that hangs must not hang the shutdown.
    await withTimeLimit(clock, quiet(), times.renewDeadlineMs);
    await withTimeLimit(clock, board.close(), times.renewDeadlineMs);
    context.calls.stop();
    listeners.clear();
  }

  return {
    tryAcquire: (key, wanted = {}) => acquireOne(key, wanted, true),
    acquire: (key, wanted = {}) => acquireOne(key, wanted, wanted.waitMs === 0),
    async acquireAll(keys, wanted = {}) {
      if (store.capabilities.several !== true)
        throw unsupported(store, 'several keys at once', store.capabilities.several.no);
      checkOpen();
      if (wanted.waitMs !== undefined) checkWait(wanted.waitMs);
      if (wanted.ttlMs !== undefined) checkTtl(wanted.ttlMs);
      for (const key of keys) {
        checkKey(key);
        checkReentry(key, undefined);
      }
      if (!isReady) await prepare();
      return acquireSeveral({ context, heartbeat, keys, wanted, closing });
    },
    withLease,
    async break(key, { reason, by }) {
      checkKey(key);
      checkOpen();
      if (!isReady) await prepare();
      return store.breakLease({ key, reason, by, acceptMs });
    },
    async list({ limit = 100, ...request } = {}) {
      checkOpen();
      if (!isReady) await prepare();
      return store.list({ ...request, limit: Math.min(limit, limits.listMax) });
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      closed ??= close();
      return closed;
    },
    async [Symbol.asyncDispose]() {
      closed ??= close();
      await closed;
    },
  };
}
