/**
 * Sections of one tab without giving anything back in between: one acquire reserves a block of tokens, each section
 * takes the next one in memory. The record already shows the last of the block, so a later holder starts above it. It
 * ends when another tab wants the lock, after `idleMs` without a section, or when the lease is lost.
 */
import type { AcquireLock } from './acquire-lock.ts';
import type { Held } from './holding.ts';
import { lockError } from './lock-error.ts';
import type { ProjectLockSession, ProjectLockSessionOptions } from './project-lock.ts';
import { releaseLock } from './release-lock.ts';
import type { TabLock } from './tab-lock.ts';

export function createLockSession(
  tab: TabLock,
  way: AcquireLock,
  options: ProjectLockSessionOptions = {},
): ProjectLockSession {
  const { block = 1000, idleMs = 250 } = options;
  const { clock, holding, channel } = tab;
  let open: Held | undefined;
  let next = 0;
  let busy = false;
  let wanted = false;
  let usedMs = 0;
  let stopListening = (): void => {};

  async function close(): Promise<void> {
    const { lease } = open ?? {};
    open = undefined;
    stopListening();
    // What cannot be released has been told as an event, and ends by itself.
    if (lease) await releaseLock(tab, { lease }).catch(() => undefined);
  }
  function watchIdle(): void {
    const session = open;
    clock.after(idleMs, () => {
      if (!session || session !== open) return;
      if (busy || clock.monotonicMs() - usedMs < idleMs) watchIdle();
      else void close();
    });
  }
  async function begin(): Promise<void> {
    await close();
    wanted = false;
    await way.acquire(options, { block });
    open = holding.current();
    next = open?.lease.token ?? 0;
    stopListening = channel.listen(({ kind }) => {
      if (kind === 'want') wanted = true;
      if (wanted && !busy) void close();
    });
    watchIdle();
  }
  return {
    async run(work) {
      if (busy) throw lockError('lease-mismatch');
      busy = true;
      try {
        if (!open || !holding.isHeld(open.lease) || next > open.lastToken) await begin();
        if (!open) throw lockError('lease-stale');
        return await work({ ...open.lease, token: next++ }, open.abort.signal);
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
