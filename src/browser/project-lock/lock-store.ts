/** State, snapshot and events of one tab's lock. The snapshot changes first, then the event is told. */
import { type LockStep, nextLockState } from './lock-state.ts';
import type { ProjectLockSnapshot } from './project-lock.ts';
import type {
  ProjectLockEvent,
  ProjectLockEventListener,
  ProjectLockSubscription,
  ReadonlyInfo,
} from './project-lock-event.ts';

export interface LockStore {
  snapshot(): ProjectLockSnapshot;
  subscribe(onChange: () => void): () => void;
  subscribeLockEvents(listener: ProjectLockEventListener): ProjectLockSubscription;
  emit(event: ProjectLockEvent): void;
  /** Goes where the table says. False: it says nothing, and nothing happened. */
  move(step: LockStep, rest?: Omit<ProjectLockSnapshot, 'state'>): boolean;
  /** Goes to read-only and tells. */
  degrade(step: LockStep, info: ReadonlyInfo): void;
}

export function createLockStore(): LockStore {
  const watchers = new Set<() => void>();
  const listeners = new Set<ProjectLockEventListener>();
  let snapshot: ProjectLockSnapshot = { state: 'idle' };

  const emit = (event: ProjectLockEvent): void => tell(listeners, event);
  function move(step: LockStep, rest?: Omit<ProjectLockSnapshot, 'state'>): boolean {
    const state = nextLockState(snapshot.state, step);
    if (!state) return false;
    const leaving = snapshot.readonly;
    snapshot = { ...rest, state };
    tell(watchers, undefined);
    if (leaving) emit({ type: 'lock:readonly-left' });
    return true;
  }
  return {
    snapshot: () => snapshot,
    subscribe: (onChange) => add(watchers, () => onChange()),
    subscribeLockEvents: (listener) => ({ unsubscribe: add(listeners, (event) => listener(event)) }),
    emit,
    move,
    degrade(step, info) {
      if (move(step, { readonly: info })) emit({ type: 'lock:readonly-entered', ...info });
    },
  };
}

// A function of its own per subscription: the same listener may subscribe twice.
function add<T>(set: Set<T>, item: T): () => void {
  set.add(item);
  return () => void set.delete(item);
}

function tell<T>(listeners: ReadonlySet<(value: T) => void>, value: T): void {
  for (const listener of [...listeners]) {
    try {
      // Whoever was unsubscribed by an earlier listener of this event hears nothing any more.
      if (listeners.has(listener)) listener(value);
    } catch {
      // A listener that throws harms nobody.
    }
  }
}
