import { useCallback, useMemo, useState } from 'react';
import type { RunState } from '../../parts/run-state.tsx';

export interface Selection {
  readonly ids: ReadonlySet<number>;
  /** Everything that matches, also what is not loaded. */
  readonly isAll: boolean;
  readonly toggle: (id: number) => void;
  readonly set: (ids: readonly number[]) => void;
  readonly takeAll: () => void;
  readonly clear: () => void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set());
  const [isAll, setAll] = useState(false);
  const toggle = useCallback((id: number) => {
    setAll(false);
    setIds((known) => {
      const next = new Set(known);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const set = useCallback((next: readonly number[]) => {
    setAll(false);
    setIds(new Set(next));
  }, []);
  const takeAll = useCallback(() => setAll(true), []);
  const clear = useCallback(() => set([]), [set]);
  return useMemo(() => ({ ids, isAll, toggle, set, takeAll, clear }), [ids, isAll, toggle, set, takeAll, clear]);
}

const ends: ReadonlySet<RunState> = new Set<RunState>(['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELED', 'SKIPPED']);

export function isEnded(state: RunState): boolean {
  return ends.has(state);
}
