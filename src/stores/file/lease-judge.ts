/**
 * When is a holder stale? Its end is a reading of the boot clock, the same for all processes of a machine:
 *
 *   same boot                       over at its end; at once if its process has ended
 *   same boot, written in future    over: the clock has started anew and the boot id does not tell (no /proc)
 *   another boot, local disk        over: every process of that boot is gone
 *   another boot, network disk      perhaps another machine, whose clock says nothing here: over when we have seen
 *                                   the same term for one whole TTL on our own clock (a renewal would change it)
 */
import type { BootClock } from '../../platform/boot-clock.ts';
import { unknownBoot } from '../../platform/boot-clock.ts';
import { isHolderProcessGone } from './holder-process.ts';
import type { Term } from './lease-name.ts';

export interface LeaseJudge {
  /** How long a term is still in force; 0 or less: it has ended; undefined: its holder is gone for good. */
  remainingUs(key: string, term: Term, nowUs: number): number | undefined;
}

export interface LeaseJudgeOptions {
  readonly boot: BootClock;
  readonly releaseOnCrash: boolean;
  /** Whether another boot id may be another machine. Asked when one is met. */
  readonly isShared: () => boolean;
}

export function leaseJudge({ boot, releaseOnCrash, isShared }: LeaseJudgeOptions): LeaseJudge {
  /** When we first saw a term of another boot. */
  const firstSeenUs = new Map<string, number>();

  return {
    remainingUs(key, term, nowUs) {
      if (term.boot === boot.bootId) {
        if (term.endUs - term.ttlMs * 1000 > nowUs + clockStepUs) return undefined;
        const leftUs = term.endUs - nowUs;
        return leftUs > 0 && releaseOnCrash && isHolderProcessGone(term.process) ? undefined : leftUs;
      }
      if (boot.bootId !== unknownBoot && !isShared()) return undefined;
      const id = JSON.stringify([key, term.owner, term.token, term.endUs]);
      const sinceUs = firstSeenUs.get(id) ?? nowUs;
      firstSeenUs.set(id, sinceUs);
      if (firstSeenUs.size > seenMax) firstSeenUs.delete(firstSeenUs.keys().next().value ?? '');
      return sinceUs + term.ttlMs * 1000 - nowUs;
    },
  };
}

/** Far above what two processors may disagree by, far below any uptime that matters. */
const clockStepUs = 1_000_000;

/** Terms remembered; one that is forgotten is waited for anew. */
const seenMax = 10_000;
