/**
 * Three tabs, random operations, every order of their steps: fast-check's scheduler holds back each opening of the
 * record and each answer of the Web Locks, time passes in between. Whatever happens, the promises hold. The same
 * checker is shown to find a record file that excludes nobody.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock, inMemoryOpfs, mockNavigatorLocks, seededRandom } from '../../testing/index.ts';
import { createProjectLock } from './create-project-lock.ts';
import { lockStates } from './lock-state.ts';
import type { OpfsDirectory, OpfsFile, WebLocks } from './ports.ts';
import type { ProjectLock, ProjectLockState } from './project-lock.ts';
import { ProjectLockError } from './project-lock-error.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';

type Operation = 'acquire' | 'acquire-and-abort' | 'renew' | 'release' | 'commit' | 'expire' | 'force';

const operation = fc.constantFrom<Operation>(
  'acquire',
  'acquire',
  'acquire-and-abort',
  'renew',
  'release',
  'commit',
  'commit',
  'expire',
  'force',
);
const tab = fc.record({ operations: fc.array(operation, { minLength: 1, maxLength: 6 }), webLocks: fc.boolean() });
const world = fc.record({
  tabs: fc.array(tab, { minLength: 2, maxLength: 3 }),
  timeFirst: fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
  scheduler: fc.scheduler(),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** What must hold, over everything that any tab did. */
function watchPromises() {
  const problems: string[] = [];
  let lastGrant = 0;
  let lastCommit = 0;
  let inside = 0;
  return {
    problems,
    granted({ token }: ProjectLockLease): void {
      if (token <= lastGrant) problems.push(`token ${token} after ${lastGrant}`);
      lastGrant = Math.max(lastGrant, token);
    },
    async commit({ token }: ProjectLockLease, between: () => Promise<void>): Promise<void> {
      if (++inside > 1) problems.push('two commits at once');
      if (token < lastCommit) problems.push(`commit of token ${token} after ${lastCommit}`);
      lastCommit = token;
      await between();
      inside--;
    },
    moved(from: ProjectLockState, to: ProjectLockState): void {
      if (!Object.values(lockStates[from]).includes(to)) problems.push(`${from} → ${to} is not in the table`);
    },
  };
}

async function play({ tabs, timeFirst, scheduler }: World, excludes = true): Promise<readonly string[]> {
  const clock = fakeClock();
  const files = inMemoryOpfs();
  const webLocks = mockNavigatorLocks();
  const promises = watchPromises();
  const yieldOnce = (): Promise<void> => scheduler.schedule(Promise.resolve());
  const heldBack: WebLocks = {
    request: async (name, options, granted) => {
      await yieldOnce();
      return webLocks.request(name, options, granted);
    },
    query: () => webLocks.query(),
  };
  const locks: ProjectLock[] = [];
  const lives = tabs.map(async ({ operations, webLocks: has }, number) => {
    const lock = createProjectLock({
      clock,
      random: seededRandom(number + 1),
      locks: has ? heldBack : null,
      files: async () => heldBackFolder(await files.open(), yieldOnce, excludes),
      channel: null,
      ownerId: `tab${number}`,
    });
    locks.push(lock);
    let state = lock.snapshot().state;
    lock.subscribe(() => {
      promises.moved(state, lock.snapshot().state);
      state = lock.snapshot().state;
    });
    lock.subscribeLockEvents((event) => {
      if (event.type === 'lock:acquired') promises.granted(event.lease);
    });
    let lease: ProjectLockLease | undefined;
    for (const name of operations) {
      await yieldOnce();
      try {
        lease = await run(name, lock, lease, clock, promises.commit, yieldOnce);
      } catch (error) {
        if (!(error instanceof ProjectLockError)) promises.problems.push(`${name} threw ${String(error)}`);
      }
    }
    lock.close();
  });
  let over = false;
  const all = Promise.all(lives).finally(() => {
    over = true;
  });
  all.catch(() => undefined);
  for (let turn = 0; !over; turn++) {
    if (turn > 5000) throw new Error('It never ends.');
    const waitsForTime = scheduler.count() === 0 || timeFirst[turn % timeFirst.length];
    if (!(waitsForTime && (await clock.runNext())) && scheduler.count() > 0) await scheduler.waitOne();
  }
  await all;
  return promises.problems;
}

async function run(
  name: Operation,
  lock: ProjectLock,
  lease: ProjectLockLease | undefined,
  clock: FakeClock,
  commit: (lease: ProjectLockLease, between: () => Promise<void>) => Promise<void>,
  between: () => Promise<void>,
): Promise<ProjectLockLease | undefined> {
  const options = { maxWaitMs: 300, ttlMillis: 2000, retryPolicy: { initialDelayMs: 50, maxAttempts: 3 } };
  if (name === 'acquire') return (await lock.acquireProjectLock(options)).lease;
  if (name === 'acquire-and-abort') {
    const controller = new AbortController();
    clock.after(100, () => controller.abort());
    return (await lock.acquireProjectLock({ ...options, signal: controller.signal })).lease;
  }
  if (name === 'expire') {
    await new Promise<void>((done) => clock.after(2500, done));
    return lease;
  }
  if (!lease) return undefined;
  if (name === 'renew') return lock.renewProjectLock({ lease });
  if (name === 'commit') await lock.commit(lease, () => commit(lease, between));
  else await lock.releaseProjectLock({ lease, force: name === 'force' });
  return name === 'commit' ? lease : undefined;
}

function heldBackFolder(folder: OpfsDirectory, yieldOnce: () => Promise<void>, excludes: boolean): OpfsDirectory {
  return {
    getDirectoryHandle: async (name, options) =>
      heldBackFolder(await folder.getDirectoryHandle(name, options), yieldOnce, excludes),
    getFileHandle: async (name, options) =>
      heldBackFile(await folder.getFileHandle(name, options), yieldOnce, excludes),
    removeEntry: (name, options) => folder.removeEntry(name, options),
    keys: () => folder.keys(),
  };
}

/** Each opening waits for its turn. `excludes: false`: the planted bug, a handle that lets others in as well. */
function heldBackFile(file: OpfsFile, yieldOnce: () => Promise<void>, excludes: boolean): OpfsFile {
  return {
    getFile: () => file.getFile(),
    createWritable: (options) => file.createWritable(options),
    async createSyncAccessHandle() {
      await yieldOnce();
      if (excludes) return (file as Required<OpfsFile>).createSyncAccessHandle();
      let bytes = new Uint8Array(await (await file.getFile()).arrayBuffer());
      const read = bytes.length;
      await yieldOnce();
      return {
        read: (into) => {
          into.set(bytes.subarray(0, into.length));
          return Math.min(read, into.length);
        },
        write: (slot, { at }) => {
          const longer = new Uint8Array(Math.max(bytes.length, at + slot.length));
          longer.set(bytes);
          longer.set(slot, at);
          bytes = longer;
          void (async () => {
            const handle = await (file as Required<OpfsFile>).createSyncAccessHandle();
            handle.write(bytes, { at: 0 });
            handle.close();
          })();
          return slot.length;
        },
        truncate: () => {},
        getSize: () => bytes.length,
        flush: () => {},
        close: () => {},
      };
    },
  };
}

describe('every order of steps', () => {
  it('keeps every promise', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        expect(await play(given)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('is broken, and found so, by a file that excludes nobody', { timeout: 60_000 }, async () => {
    const { failed } = await fc.check(
      fc.asyncProperty(world, async (given) => {
        expect(await play(given, false)).toEqual([]);
      }),
      { numRuns: 300, endOnFailure: true },
    );
    expect(failed).toBe(true);
  });
});
