/**
 * Sections of one tab without giving anything back in between: one acquire reserves a block of tokens, each section
 * takes the next one in memory. The record already shows the last of the block, so a later holder starts above it. It
 * ends when another tab wants the lock, after `idleMs` without a section, or when the lease is lost.
 */
import { acquireLock } from './acquire-lock.ts';
import { defaultProjectLock } from './default-project-lock.ts';
import type { Held } from './holding.ts';
import { lockError } from './lock-error.ts';
import type { ProjectLock, ProjectLockSession, ProjectLockSessionOptions } from './project-lock.ts';
import { releaseLock } from './release-lock.ts';
import { type TabLock, tabLocks } from './tab-lock.ts';

export function openProjectLockSession(
  options: ProjectLockSessionOptions = {},
  lock: ProjectLock = defaultProjectLock(),
): ProjectLockSession {
  const { block = 1000, idleMs = 250 } = options;
  const tab = tabLocks.get(lock) as TabLock;
  const { clock, listen, isHeld } = tab;
  let open: Held | undefined;
  let next = 0;
  let busy = false;
  let wanted = false;
  let usedMs = 0;
  let closed: Promise<void> = Promise.resolve();
  let stopListening = (): void => {};

  /** Resolves when nothing is held, also when somebody else began to close it. */
  function close(): Promise<void> {
    const { lease } = open ?? {};
    open = undefined;
    stopListening();
    // What cannot be released has been told as an event, and ends by itself.
    if (lease) closed = releaseLock(tab, { lease }).catch(() => undefined);
    return closed;
  }
  function watchIdle(session: Held | undefined): void {
    clock.after(idleMs, () => {
      if (session !== open || !open) return;
      if (busy || clock.monotonicMs() - usedMs < idleMs) watchIdle(session);
      else void close();
    });
  }
  async function begin(): Promise<Held> {
    await close();
    wanted = false;
    await acquireLock(tab, options, block);
    open = tab.held() as Held;
    next = open.lease.token;
    stopListening = listen(({ kind }) => {
      if (kind === 'want') wanted = true;
      if (wanted && !busy) void close();
    });
    watchIdle(open);
    return open;
  }
  return {
    async run(work) {
      if (busy) throw lockError('lease-mismatch');
      busy = true;
      try {
        const session = open && isHeld(open.lease) && next < open.lease.token + block ? open : await begin();
        return await work({ ...session.lease, token: next++ }, session.abort.signal);
      } finally {
        busy = false;
        usedMs = clock.monotonicMs();
        if (wanted) await close();
      }
    },
    async end() {
      wanted = true;
      if (!busy) await close();
    },
  };
}
