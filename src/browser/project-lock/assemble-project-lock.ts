/**
 * One tab's project lock, put together. The protocol: every holder, whichever way it came in, has its record in
 * `project/.lock`. The Web Lock is the gate (first come, first served; freed by the browser when a tab dies), the record
 * is the truth, and the file itself, opened exclusively, is the mutex around every change of it and around every commit
 * of a save. See docs/internals/project-lock.md for why this is safe.
 */
import { clock as browserClock, random as browserRandom } from '../../platform/browser.ts';
import { acquireLock, checkTtlMs } from './acquire-lock.ts';
import { createHolding } from './holding.ts';
import { createLockChannel } from './lock-channel.ts';
import { lockError } from './lock-error.ts';
import { createLockStore } from './lock-store.ts';
import type { createPageKeeper } from './page-keeper.ts';
import { watchPageLife } from './page-life.ts';
import type { Channel, OpenFiles, WebLocks } from './ports.ts';
import type { CreateProjectLockOptions, ProjectLock } from './project-lock.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import type { KeeperReport, RecordKeeper } from './record-keeper.ts';
import type { LeaseClaim } from './record-rules.ts';
import { releaseLock } from './release-lock.ts';
import { gateName, type TabLock, tabLocks } from './tab-lock.ts';
import { uuid } from './uuid.ts';
import { withProjectLock } from './with-project-lock.ts';
import { createWorkerKeeper } from './worker-keeper.ts';

/** `pageKeeper`: how to keep the record where no worker can be had. */
export function assembleProjectLock(
  options: CreateProjectLockOptions,
  pageKeeper: (...parts: Parameters<typeof createPageKeeper>) => RecordKeeper | Promise<RecordKeeper>,
): ProjectLock {
  const { clock = browserClock, random = browserRandom, workerUrl, coolDownMs = 10_000, files } = options;
  const { locks = browserLocks(), channel = browserChannel(), ownerId = uuid(random) } = options;
  // It must fit into a slot of the record, however it is escaped.
  if (new TextEncoder().encode(JSON.stringify(ownerId)).length > 130) throw new RangeError('ownerId is too long.');
  const report = (what: KeeperReport): void => tab.onReport(what);
  const keeper = createWorkerKeeper(
    () => {
      if (files || workerUrl === null) return undefined;
      // Bundlers recognise the second form.
      return workerUrl
        ? new Worker(workerUrl, { type: 'module' })
        : new Worker(new URL('./lock-worker.js', import.meta.url), { type: 'module' });
    },
    () => pageKeeper({ files: files ?? browserFiles, locks, clock, random }, report),
    report,
    clock,
  );
  const store = createLockStore();
  const tab: TabLock = {
    ...store,
    ...createHolding(clock, store, keeper),
    clock,
    random,
    locks,
    keeper,
    channel: createLockChannel(channel),
    ownerId,
    coolDownMs,
    seen: { n: -1, sinceMs: 0 },
  };
  const { emit, held, isHeld, lose } = tab;
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
    const mine = held();
    const still = mine && isHeld(mine.lease);
    if (!stoodStill) return;
    stoodStill = false;
    keeper.resume();
    if (left) void keeper.release(left, false);
    left = undefined;
    if (still) void renew(mine.lease).catch(() => undefined);
  }
  function refuse(lease: ProjectLockLease): Error {
    const over = clock.wallMs() < lease.expiresAt ? 'lease-stale' : 'lease-expired';
    const error = lockError(lease.ownerId === ownerId ? over : 'lease-mismatch');
    emit({ type: 'lock:error', operation: 'renew', error });
    return error;
  }
  async function renew(lease: ProjectLockLease, extendByMs?: number): Promise<ProjectLockLease> {
    const mine = held();
    if (!isHeld(lease) || !mine) throw refuse(lease);
    const answer = await keeper.renew(mine.plan, extendByMs ? checkTtlMs(extendByMs) : mine.plan.ttlMs);
    if (held() !== mine) throw refuse(lease);
    tab.settle(answer);
    if (answer.refusal) throw lockError(answer.refusal, answer.cause, false);
    void keeper.beat(mine.plan);
    return mine.lease;
  }

  tab.channel.listen((message) => {
    const { lease } = held() ?? {};
    if (!lease) return;
    if (message.kind === 'please' && message.token === lease.token)
      void Promise.resolve()
        .then(() => askedToFlush?.(lease))
        .catch(() => undefined)
        .then(() => releaseLock(tab, { lease }))
        .catch(() => undefined);
    else if (message.kind === 'taken') void renew(lease).catch(() => undefined);
  });
  const stopWatching = watchPageLife({
    onCached() {
      // The record follows after the return; by then it may be another's, and is left alone.
      left = held()?.plan;
      lose('page-cached');
      standStill();
    },
    onFrozen: standStill,
    onBack: goOn,
  });
  const lock: ProjectLock = {
    ownerId,
    acquireProjectLock: (acquireOptions = {}) => acquireLock(tab, acquireOptions),
    renewProjectLock: ({ lease, extendByMs }) => renew(lease, extendByMs),
    releaseProjectLock: (releaseOptions) => releaseLock(tab, releaseOptions),
    withProjectLock: (withOptions = {}, work) => withProjectLock(tab, withOptions, work),
    subscribeLockEvents: tab.subscribeLockEvents,
    isHeld,
    async commit(lease, work) {
      if (!isHeld(lease)) throw refuse(lease);
      const ticket = ++lastTicket;
      const { refusal, cause } = await keeper.enter(lease, ticket);
      if (refusal === 'lease-stale' || refusal === 'lease-expired') lose(refusal);
      if (refusal) throw lockError(refusal, cause);
      commitSignal = new AbortController();
      try {
        return await work(commitSignal.signal);
      } finally {
        commitSignal = undefined;
        void keeper.leave(ticket);
      }
    },
    onTakeOverRequest(handler) {
      askedToFlush = handler;
    },
    snapshot: tab.snapshot,
    subscribe: tab.subscribe,
    close() {
      stopWatching();
      tab.takeBack()?.letGo();
      keeper.stop();
      tab.channel.close();
    },
  };
  tabLocks.set(lock, tab);
  return lock;
}

function browserLocks(): WebLocks | null {
  return (globalThis.navigator?.locks as unknown as WebLocks | undefined) ?? null;
}

const browserFiles = (async () => navigator.storage.getDirectory()) as unknown as OpenFiles;

function browserChannel(): Channel | null {
  return globalThis.BroadcastChannel ? (new BroadcastChannel(gateName) as unknown as Channel) : null;
}
