/**
 * One subscription per keeper, opened when somebody has to wait for the first time. Notices are put into the box of
 * the grant id they are for. A box is opened once an attempt was refused; the last few notices without one are kept.
 */
import type { Notice, Subscription } from '../../core/ports.ts';
import type { KeeperContext } from './keeper-context.ts';
import { withTimeLimit } from './time-limit.ts';

export interface NoticeBoard {
  /** Opens a box for a grant id; what came for it before is given at once. */
  openBox(owner: string, onNotice: (notice: Notice) => void): void;
  closeBox(owner: string): void;
  /** True once notices arrive. False: not possible now, so poll. */
  ensureLive(): Promise<boolean>;
  isLive(): boolean;
  close(): Promise<void>;
}

/** A notice can overtake the refusal of the attempt it is for; so many wait for a box to be opened. */
const unclaimedMax = 64;

/** How long a failed subscription is not tried again. */
const pauseMs = 1_000;

/** A store that hangs must not keep a waiter from polling. */
const limitMs = 2_000;

export function createNoticeBoard(context: KeeperContext, onBroken: (owner: string) => void): NoticeBoard {
  const boxes = new Map<string, (notice: Notice) => void>();
  const unclaimed: Notice[] = [];
  let subscription: Subscription | undefined;
  let opening: Promise<boolean> | undefined;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let closed = false;

  const hear = (notice: Notice): void => {
    if (notice.kind === 'broken') onBroken(notice.owner);
    const box = boxes.get(notice.owner);
    if (box) box(notice);
    else if (unclaimed.push(notice) > unclaimedMax) unclaimed.shift();
  };

  async function open(): Promise<boolean> {
    try {
      const old = subscription;
      subscription = undefined;
      if (old) context.runInBackground(old.close());
      const asked = context.store.subscribe(context.process, hear);
      const answer = await withTimeLimit(context.clock, asked, limitMs);
      if (answer.kind === 'answered' && !closed) {
        subscription = answer.value;
        return true;
      }
      // What still comes of it belongs to nobody.
      context.runInBackground(
        asked.then((late) => late.close()),
        { awaitedByClose: false },
      );
      if (answer.kind === 'failed') throw answer.error;
      throw new Error(`The store did not answer a subscription within ${limitMs} ms.`);
    } catch (cause) {
      notBeforeMs = context.clock.monotonicMs() + pauseMs;
      context.emit({ type: 'notices-lost', cause });
      return false;
    } finally {
      opening = undefined;
    }
  }

  return {
    openBox(owner, onNotice) {
      boxes.set(owner, onNotice);
      for (const notice of unclaimed) if (notice.owner === owner) onNotice(notice);
    },
    closeBox: (owner) => void boxes.delete(owner),
    isLive: () => subscription?.isLive() === true,
    async ensureLive() {
      if (subscription?.isLive()) return true;
      if (closed || context.clock.monotonicMs() < notBeforeMs) return false;
      opening ??= open();
      return opening;
    },
    async close() {
      closed = true;
      await opening;
      await subscription?.close();
      subscription = undefined;
      boxes.clear();
    },
  };
}
