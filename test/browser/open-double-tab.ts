/** A tab over doubles, on virtual time: for the unit tests of the project lock. */
import { expect } from 'vitest';
import { createProjectLock } from '../../src/browser/project-lock/create-project-lock.ts';
import { decodeRecord, emptyRecord, encodeSlot, type LockRecord } from '../../src/browser/project-lock/lock-record.ts';
import type { CreateProjectLockOptions, ProjectLock } from '../../src/browser/project-lock/project-lock.ts';
import { ProjectLockError } from '../../src/browser/project-lock/project-lock-error.ts';
import type { ProjectLockEvent } from '../../src/browser/project-lock/project-lock-event.ts';
import {
  eventProbe,
  type FakeClock,
  fakeClock,
  type InMemoryOpfs,
  inMemoryOpfs,
  type MockNavigatorLocks,
  mockNavigatorLocks,
} from '../../src/testing/index.ts';

export interface DoubleTab {
  readonly lock: ProjectLock;
  readonly clock: FakeClock;
  readonly locks: MockNavigatorLocks;
  readonly files: InMemoryOpfs;
  readonly events: () => readonly ProjectLockEvent[];
  readonly types: () => readonly string[];
}

/** Parts of another tab's world to share. */
export type DoubleTabOptions = Omit<CreateProjectLockOptions, 'clock' | 'locks' | 'files'> & {
  readonly clock?: FakeClock;
  readonly locks?: MockNavigatorLocks | null;
  readonly files?: InMemoryOpfs;
};

const opened: ProjectLock[] = [];

export function closeDoubleTabs(): void {
  for (const lock of opened.splice(0)) lock.close();
}

export function openDoubleTab(options: DoubleTabOptions = {}): DoubleTab {
  const { clock = fakeClock(), files = inMemoryOpfs(), ...rest } = options;
  const locks = options.locks ?? mockNavigatorLocks();
  const probe = eventProbe<ProjectLockEvent>();
  const lock = createProjectLock({
    channel: null,
    ownerId: 'tab-a',
    ...rest,
    clock,
    locks: options.locks === null ? null : locks,
    files: files.open,
  });
  lock.subscribeLockEvents(probe.record);
  opened.push(lock);
  return { lock, clock, locks, files, events: probe.all, types: () => probe.all().map(({ type }) => type) };
}

export function recordIn(files: InMemoryOpfs): LockRecord {
  return decodeRecord(new TextEncoder().encode(files.read('project/.lock') ?? ''));
}

export function putRecord(files: InMemoryOpfs, record: Partial<LockRecord>): void {
  files.put('project/.lock', encodeSlot({ ...emptyRecord, n: 2, token: 7, first: 7, ...record }));
}

export async function failure(promise: Promise<unknown>): Promise<ProjectLockError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProjectLockError);
  return error as ProjectLockError;
}

/** Lets time pass until the promise is settled. */
export async function passing<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let over = false;
  const settled = promise.finally(() => {
    over = true;
  });
  settled.catch(() => undefined);
  for (let step = 0; step < 2000 && !over; step++) await clock.advance(100);
  return settled;
}

/** Somebody else's record. */
export const other: Partial<LockRecord> = {
  leaseId: '00000000-0000-4000-a000-000000000001',
  ownerId: 'tab-b',
  ttlMs: 30_000,
};
