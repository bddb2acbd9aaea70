import type { TabLock, TabMessage } from './tab-lock.ts';

/** What another tab says about the grant that is held here. Loaded only then. */
export async function answerTab(tab: TabLock, { kind, token }: TabMessage): Promise<void> {
  const { lease, plan } = tab.held() ?? {};
  if (!lease) return;
  // The record was overruled: look at it.
  if (kind === 'taken') await tab.keeper.ask('beat', plan, true);
  if (kind !== 'please' || token !== lease.token) return;
  try {
    await tab.onAsked?.(lease);
  } catch {
    // What could not be flushed is the handler's business; the right goes back all the same.
  }
  await tab.releaseLock(tab, { lease });
}
