import type { TabMessage } from './lock-channel.ts';
import type { TabLock } from './tab-lock.ts';

/** What to do when another tab asks for the lock: flush, release. Loaded only then. */
export async function answerTab(tab: TabLock, { token }: TabMessage): Promise<void> {
  const { lease } = tab.held() ?? {};
  if (!lease || token !== lease.token) return;
  try {
    await tab.onAsked?.(lease);
  } catch {
    // What could not be flushed is the handler's business; the right goes back all the same.
  }
  await tab.releaseLock(tab, { lease });
}
