/**
 * One tab's project lock, put together. The protocol: every holder, whichever way it came in, has its record in
 * `project/.lock`. The Web Lock is the gate (first come, first served; freed by the browser when a tab dies), the record
 * is the truth, and the file itself, opened exclusively, is the mutex around every change of it and around every commit
 * of a save. See docs/internals/project-lock.md for why this is safe.
 */
import { platform } from '../../platform/browser.ts';
import { checkTtlMs, createAcquireLock } from './acquire-lock.ts';
import { createHolding } from './holding.ts';
import { createLockChannel } from './lock-channel.ts';
import { lockError } from './lock-error.ts';
import { createLockSession } from './lock-session.ts';
import { createLockStore } from './lock-store.ts';
import { watchPageLife } from './page-life.ts';
import type { Channel, OpenFiles, WebLocks } from './ports.ts';
import type { CreateProjectLockOptions, ProjectLock } from './project-lock.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import { createRecordKeeper } from './record-keeper.ts';
import type { LeaseClaim } from './record-rules.ts';
import { releaseLock } from './release-lock.ts';
import { gateName, type TabLock } from './tab-lock.ts';
import { takeOver } from './take-over.ts';
import { uuid } from './uuid.ts';
import { withProjectLock } from './with-project-lock.ts';
import { createWorkerKeeper } from './worker-keeper.ts';

/** The project lock of this tab, over the browser's own parts or over those given. */
export function createProjectLock(options: CreateProjectLockOptions = {}): ProjectLock {
  const { clock = platform.clock, random = platform.random, workerUrl, coolDownMs = 10_000 } = options;
  const { locks = browserLocks(), files = browserFiles, channel = browserChannel() } = options;
  const { ownerId = uuid(random) } = options;
  // It must fit into a slot of the record, however it is escaped.
  if (new TextEncoder().encode(JSON.stringify(ownerId)).length > 130) throw new RangeError('ownerId is too long.');
  const store = createLockStore();
  const onPage = (): ReturnType<typeof createRecordKeeper> =>
    createRecordKeeper({ files, locks, clock, random }, (report) => holding.onReport(report));
  const keeper = createWorkerKeeper({
    start() {
      if (options.files || workerUrl === null) throw new Error('No worker is wanted.');
      // Bundlers recognise this very form.
      return workerUrl
        ? new Worker(workerUrl, { type: 'module' })
        : new Worker(new URL('./lock-worker.js', import.meta.url), { type: 'module' });
    },
    onPage,
    report: (report) => holding.onReport(report),
    clock,
  });
  const holding = createHolding(clock, store, () => keeper);
  const tabs = createLockChannel(channel);
  const tab: TabLock = { clock, random, locks, keeper, channel: tabs, store, holding, ownerId, coolDownMs };
  const way = createAcquireLock(tab);
  let askedToFlush: ((lease: ProjectLockLease) => Promise<void>) | undefined;
  let commitSignal: AbortController | undefined;
  let lastTicket = 0;
  let stoodStill = false;
  let left: LeaseClaim | undefined;

  /** Nothing may stay open while the page stands still, and a commit under way must not go on afterwards. */
  function standStill(): void {
    commitSignal?.abort(lockError('record-busy'));
    keeper.stop();
    stoodStill = true;
  }
  function goOn(): void {
    const held = holding.current();
    const isHeld = !!held && holding.isHeld(held.lease);
    if (!stoodStill) return;
    stoodStill = false;
    keeper.resume();
    if (left) void keeper.release(left, false);
    left = undefined;
    if (isHeld) void renew(held.lease).catch(() => undefined);
  }
  async function renew(lease: ProjectLockLease, extendByMs?: number): Promise<ProjectLockLease> {
    const held = holding.current();
    if (held?.lease.leaseId !== lease.leaseId && lease.ownerId !== tab.ownerId) throw refuse(lease, 'lease-mismatch');
    if (!held || !holding.isHeld(lease)) throw refuse(lease);
    const answer = await keeper.renew(held.plan, extendByMs ? checkTtlMs(extendByMs) : held.plan.ttlMs);
    if (holding.current() !== held) throw refuse(lease);
    holding.settle(answer);
    if (answer.refusal) throw lockError(answer.refusal, answer.cause, false);
    void keeper.beat(held.plan);
    return held.lease;
  }
  function refuse(lease: ProjectLockLease, code?: 'lease-mismatch'): Error {
    const error = lockError(code ?? (clock.wallMs() < lease.expiresAt ? 'lease-stale' : 'lease-expired'));
    store.emit({ type: 'lock:error', operation: 'renew', error });
    return error;
  }

  tabs.listen((message) => {
    const held = holding.current();
    if (!held) return;
    const { lease } = held;
    if (message.kind === 'please' && message.token === lease.token)
      void Promise.resolve(askedToFlush?.(lease))
        .catch(() => undefined)
        .then(() => releaseLock(tab, { lease }))
        .catch(() => undefined);
    else if (message.kind === 'taken') void renew(lease).catch(() => undefined);
  });
  const stopWatching = watchPageLife({
    onCached() {
      // The record follows after the return; by then it may be another's, and is left alone.
      left = holding.current()?.plan;
      holding.lose('page-cached');
      standStill();
    },
    onFrozen: standStill,
    onBack: goOn,
  });

  return {
    ownerId,
    acquireProjectLock: (acquireOptions = {}) => way.acquire(acquireOptions),
    renewProjectLock: ({ lease, extendByMs }) => renew(lease, extendByMs),
    releaseProjectLock: (releaseOptions) => releaseLock(tab, releaseOptions),
    withProjectLock: (withOptions, work) => withProjectLock(tab, way, withOptions ?? {}, work),
    subscribeLockEvents: store.subscribeLockEvents,
    isHeld: holding.isHeld,
    async commit(lease, work) {
      if (!holding.isHeld(lease)) throw refuse(lease);
      const ticket = ++lastTicket;
      const { refusal, cause } = await keeper.enter(lease, ticket);
      if (refusal === 'lease-stale' || refusal === 'lease-expired')
        holding.lose(refusal === 'lease-stale' ? 'stale' : refusal);
      if (refusal) throw lockError(refusal, cause);
      commitSignal = new AbortController();
      try {
        return await work(commitSignal.signal);
      } finally {
        commitSignal = undefined;
        void keeper.leave(ticket);
      }
    },
    takeOver: (takeOptions) => takeOver(tab, way, takeOptions),
    onTakeOverRequest(handler) {
      askedToFlush = handler;
    },
    openSession: (sessionOptions) => createLockSession(tab, way, sessionOptions),
    snapshot: store.snapshot,
    subscribe: store.subscribe,
    close() {
      stopWatching();
      holding.takeBack()?.letGo();
      keeper.stop();
      tabs.close();
    },
  };
}

function browserLocks(): WebLocks | null {
  return (typeof navigator === 'undefined' ? null : (navigator.locks as unknown as WebLocks)) ?? null;
}

const browserFiles = (async () => navigator.storage.getDirectory()) as unknown as OpenFiles;

function browserChannel(): Channel | null {
  return typeof BroadcastChannel === 'undefined' ? null : (new BroadcastChannel(gateName) as unknown as Channel);
}
