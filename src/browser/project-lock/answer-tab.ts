import type { TabLock, TabMessage } from './tab-lock.ts';

/** What is said about the grant that is held here, by another tab or by this one. Loaded only then. */
export async function answerTab(tab: TabLock, { kind, token }: TabMessage): Promise<void> {
  const mine = tab.held();
  if (!mine) return;
  const { lease, plan } = mine;
  // The record was overruled: look at it.
  if (kind === 'taken') await tab.keeper.ask('beat', plan, true);
  if (kind === 'doubt') {
    const record = await (await tab.rare()).look(tab);
    // A TTL that nobody here asked for says that it is another's as well.
    const { leaseId, ttlMs } = record ?? plan;
    const isOurs = leaseId === lease.leaseId && [plan.ttlMs, mine.lastTtlMs].includes(ttlMs);
    if (!isOurs && tab.held() === mine) tab.lose('lease-stale');
  }
  if (kind !== 'please' || token !== lease.token) return;
  try {
    await tab.onAsked?.(lease);
  } catch {
    // What could not be flushed is the handler's business; the right goes back all the same.
  }
  await tab.release(tab, { lease });
}
