import { useCallback, useState } from 'react';
import {
  type ProjectLock,
  ProjectLockError,
  type TakeOverResult,
  takeOverProjectLock,
} from '../../../src/browser/project-lock/index.ts';
import { quickAcquire } from './use-storyboard.ts';

/** How long the other tab may save before its right is taken away. */
export const graceMs = 5_000;

export interface TakeOver {
  /** There while the other tab is asked: since when. */
  readonly sinceMs: number | undefined;
  /** Why the last one did not come about. */
  readonly refusal: 'refusedCoolDown' | 'refused' | undefined;
  /** How the last one came about. */
  readonly took: TakeOverResult['how'] | undefined;
  start(): Promise<void>;
}

/** Asks the tab that writes to save and to let go; a tab that does not answer is overruled. */
export function useTakeOver(lock: ProjectLock): TakeOver {
  const [sinceMs, setSince] = useState<number>();
  const [refusal, setRefusal] = useState<TakeOver['refusal']>();
  const [took, setTook] = useState<TakeOver['took']>();
  const start = useCallback(async () => {
    setSince(Date.now());
    setRefusal(undefined);
    setTook(undefined);
    try {
      setTook((await takeOverProjectLock({ ...quickAcquire, graceMs }, lock)).how);
    } catch (error) {
      const isCoolDown = error instanceof ProjectLockError && error.code === 'acquire-denied';
      setRefusal(isCoolDown ? 'refusedCoolDown' : 'refused');
    }
    setSince(undefined);
  }, [lock]);
  return { sinceMs, refusal, took, start };
}
