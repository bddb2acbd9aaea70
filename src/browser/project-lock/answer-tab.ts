import type { TabMessage } from './lock-channel.ts';
import { renewLock } from './renew-lock.ts';
import type { TabLock } from './tab-lock.ts';

/** What to do when another tab asks for the lock, or says that it has overruled the record. Loaded only then. */
export async function answerTab(tab: TabLock, { kind, token }: TabMessage): Promise<void> {
  const { lease } = tab.held() ?? {};
  if (!lease) return;
  if (kind === 'taken') await renewLock(tab, lease);
  if (kind !== 'please' || token !== lease.token) return;
  try {
    await tab.onAsked?.(lease);
  } catch {
    // What could not be flushed is the handler's business; the right goes back all the same.
  }
  await tab.releaseLock(tab, { lease });
}
