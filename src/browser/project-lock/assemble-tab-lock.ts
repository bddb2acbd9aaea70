/**
 * One tab's project lock, put together. The protocol: every holder, whichever way it came in, has its record in
 * `project/.lock`. The Web Lock is the gate (first come, first served; freed by the browser when a tab dies), the record
 * is the truth, and the file itself, opened exclusively, is the mutex around every change of it and around every commit
 * of a save. See docs/internals/project-lock.md for why this is safe.
 */
import { requestGate } from './gate.ts';
import { createHolding } from './holding.ts';
import { createListeners } from './listeners.ts';
import { lockError } from './lock-error.ts';
import { createLockStore } from './lock-store.ts';
import { watchPageLife } from './page-life.ts';
import type { ReportAttempt } from './record-keeper.ts';
import type { LeaseClaim } from './record-rules.ts';
import { releaseLock } from './release-lock.ts';
import type { TabLock, TabLockOptions, TabMessage } from './tab-lock.ts';
import { createWorkerKeeper } from './worker-keeper.ts';

export function assembleTabLock({ worker, ...parts }: TabLockOptions): TabLock {
  const report: ReportAttempt = (...attempt) => tab.onReport(...attempt);
  const keeper = createWorkerKeeper(worker, async () => (await parts.rare()).keeper(tab, report), report, parts.clock);
  const store = createLockStore();
  const { add: listen, tell } = createListeners<TabMessage>();
  const holding = createHolding(parts.clock, store, keeper, () => tell({ kind: 'doubt' }));
  const { held } = holding;
  let stoodStill = false;
  let left: LeaseClaim | undefined;

  /** Nothing may stay open while the page stands still, and a commit under way must not go on afterwards. */
  const standStill = (): void => {
    tab.commit?.abort(lockError('record-busy'));
    keeper.stop();
    stoodStill = true;
  };
  const tab: TabLock = {
    ...parts,
    ...store,
    ...holding,
    keeper,
    listen,
    error: lockError,
    request: requestGate,
    release: releaseLock,
    stop: watchPageLife(
      () => {
        // The record follows after the return; by then it may be another's, and is left alone.
        left = held()?.plan;
        holding.lose('page-cached');
        standStill();
      },
      standStill,
      () => {
        const mine = held();
        const still = mine && holding.isHeld(mine.lease);
        if (!stoodStill) return;
        stoodStill = false;
        keeper.resume();
        if (left) void keeper.ask('release', left);
        left = undefined;
        // It may have been overruled meanwhile.
        if (still) void keeper.ask('beat', mine.plan, true);
      },
    ),
  };
  parts.channel?.addEventListener('message', ({ data }) => tell(data as TabMessage));
  listen((message) => {
    if (!held() || message.kind === 'want') return;
    tab
      .rare()
      .then(({ answer }) => answer(tab, message))
      // What comes of it is told as events.
      .catch(() => undefined);
  });
  return tab;
}
