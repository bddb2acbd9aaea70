/** State, snapshot and events of one tab's lock. The snapshot changes first, then the event is told. */
import { createListeners } from './listeners.ts';
import { type LockStep, nextLockState } from './lock-state.ts';
import type { ProjectLockSnapshot } from './project-lock.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type {
  ProjectLockEvent,
  ProjectLockEventListener,
  ProjectLockOperation,
  ProjectLockSubscription,
  ReadonlyInfo,
} from './project-lock-event.ts';

export interface LockStore {
  snapshot(): ProjectLockSnapshot;
  subscribe(onChange: () => void): () => void;
  subscribeLockEvents(listener: ProjectLockEventListener): ProjectLockSubscription;
  emit(event: ProjectLockEvent): void;
  /** Tells of the error, and gives it back to be thrown. */
  fail(operation: ProjectLockOperation, error: ProjectLockError): ProjectLockError;
  /** Goes where the table says. False: it says nothing, and nothing happened. */
  move(step: LockStep, rest?: Omit<ProjectLockSnapshot, 'state'>): boolean;
  /** Goes to read-only and tells. */
  degrade(step: LockStep, info: ReadonlyInfo): void;
}

export function createLockStore(): LockStore {
  const watchers = createListeners();
  const listeners = createListeners<ProjectLockEvent>();
  let snapshot: ProjectLockSnapshot = { state: 'idle' };

  const emit = listeners.tell;
  function move(step: LockStep, rest?: Omit<ProjectLockSnapshot, 'state'>): boolean {
    const state = nextLockState(snapshot.state, step);
    if (!state) return false;
    const leaving = snapshot.readonly;
    snapshot = { ...rest, state };
    watchers.tell();
    if (leaving) emit({ type: 'lock:readonly-left' });
    return true;
  }
  return {
    snapshot: () => snapshot,
    subscribe: watchers.add,
    subscribeLockEvents: (listener) => ({ unsubscribe: listeners.add(listener) }),
    emit,
    fail(operation, error) {
      emit({ type: 'lock:error', operation, error });
      return error;
    },
    move,
    degrade(step, info) {
      if (move(step, { readonly: info })) emit({ type: 'lock:readonly-entered', ...info });
    },
  };
}
