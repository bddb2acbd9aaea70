/**
 * A memory store that can crash and come back without what it acknowledged last, as a server does that commits
 * asynchronously or fails over to a replica that lags. It keeps a journal of what it carried out; a crash cuts the
 * end off and carries out the rest again in a fresh store, at the times of then. Fences are kept: the thing they
 * protect is stored elsewhere.
 */
import { platform } from '#platform';
import { type LeaseRules, leaseRules } from '../core/lease.ts';
import type { Clock, LeaseStore, Subscription } from '../core/ports.ts';
import { type MemoryStoreOptions, memoryStore } from '../stores/memory/memory-store.ts';

export interface CrashingMemoryStore extends LeaseStore {
  /**
   * The store dies and is back at once. Subscriptions are dead and must be made anew. `newest-grant` loses the last
   * grant and everything after it, `everything` is a cache restarted empty. False = there was no grant to lose.
   */
  crash(lose: 'nothing' | 'newest-grant' | 'everything'): boolean;
}

interface JournalEntry {
  readonly monotonicMs: number;
  readonly carryOut: (store: LeaseStore) => Promise<unknown>;
  readonly isClaim: boolean;
  granted: boolean;
  /** One of several keys was refused: then none was granted. */
  refused: boolean;
}

/** A memory store with a crash in it. */
export function crashingMemoryStore(options: MemoryStoreOptions = {}): CrashingMemoryStore {
  const { clock = platform.clock, rules = leaseRules } = options;
  const startWallMs = clock.wallMs();
  const startMonotonicMs = clock.monotonicMs();
  let journal: JournalEntry[] = [];
  let subscriptions = new Set<{ live: boolean; readonly inner: Subscription }>();
  let newest: JournalEntry | undefined;
  let replayedMs: number | undefined = startMonotonicMs;

  // The fresh store must count from the same start, whatever the wall clock says by now.
  const storeClock: Pick<Clock, 'monotonicMs' | 'wallMs'> = {
    monotonicMs: () => replayedMs ?? clock.monotonicMs(),
    wallMs: () => startWallMs,
  };
  const watchedRules = watchDecisions(rules, (outcome) => {
    if (newest) newest[outcome] = true;
  });
  const freshStore = (): LeaseStore => {
    replayedMs = startMonotonicMs;
    const fresh = memoryStore({ clock: storeClock, rules: watchedRules });
    replayedMs = undefined;
    return fresh;
  };
  let store = freshStore();

  function carryOut<T>(isClaim: boolean, work: (store: LeaseStore) => Promise<T>): Promise<T> {
    const entry: JournalEntry = {
      monotonicMs: clock.monotonicMs(),
      carryOut: work,
      isClaim,
      granted: false,
      refused: false,
    };
    journal.push(entry);
    newest = entry;
    try {
      // A memory store decides before it returns its promise, so the grant is noted by the next line.
      return work(store);
    } finally {
      newest = undefined;
    }
  }

  return {
    name: store.name,
    capabilities: store.capabilities,
    acquire: (request) => carryOut(false, (to) => to.acquire(request)),
    acquireAll: (request) => carryOut(false, (to) => to.acquireAll(request)),
    breakLease: (request) => carryOut(false, (to) => to.breakLease(request)),
    claim: (request) => carryOut(true, (to) => to.claim(request)),
    explainLoss: (request) => store.explainLoss(request),
    leave: (request) => carryOut(false, (to) => to.leave(request)),
    list: (request) => store.list(request),
    release: (request) => carryOut(false, (to) => to.release(request)),
    renew: (requests) => carryOut(false, (to) => to.renew(requests)),
    async subscribe(process, onNotice) {
      const made = { live: true, inner: await store.subscribe(process, (notice) => made.live && onNotice(notice)) };
      subscriptions.add(made);
      return {
        isLive: () => made.live && made.inner.isLive(),
        async close() {
          made.live = false;
          subscriptions.delete(made);
          await made.inner.close();
        },
      };
    },
    close: () => store.close(),
    crash(lose) {
      const last = journal.findLastIndex((entry) => entry.granted && !entry.refused);
      if (lose === 'newest-grant' && last < 0) return false;
      const end = lose === 'nothing' ? journal.length : lose === 'everything' ? 0 : last;
      journal = journal.filter((entry, i) => i < end || entry.isClaim);
      for (const made of subscriptions) made.live = false;
      subscriptions = new Set();
      store = freshStore();
      for (const entry of journal) {
        replayedMs = entry.monotonicMs;
        // Failures were reported when the call was made.
        entry.carryOut(store).catch(() => undefined);
      }
      replayedMs = undefined;
      return true;
    },
  };
}

/** The same rules, telling of every new grant and every refusal. */
function watchDecisions(rules: LeaseRules, tell: (outcome: 'granted' | 'refused') => void): LeaseRules {
  return {
    ...rules,
    decideAcquire(record, input, nowUs) {
      const decision = rules.decideAcquire(record, input, nowUs);
      if (!decision.granted) tell('refused');
      else if (decision.record.token !== record.token) tell('granted');
      return decision;
    },
    decideRelease(record, input, nowUs) {
      const decision = rules.decideRelease(record, input, nowUs);
      if (decision && decision.heirs.length > 0) tell('granted');
      return decision;
    },
    decideBreak(record, acceptMs, nowUs) {
      const decision = rules.decideBreak(record, acceptMs, nowUs);
      if (decision && decision.heirs.length > 0) tell('granted');
      return decision;
    },
  };
}
