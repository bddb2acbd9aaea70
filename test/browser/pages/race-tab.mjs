/** Runs in a tab: sections under the project lock, told to the server as they begin and end. */
import { createProjectLock, openProjectLockSession } from '/dist/browser/project-lock/index.js';

/** Waits that a hidden tab does not stretch: yields in a loop. */
export async function nap(ms) {
  const { port1, port2 } = new MessageChannel();
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) {
    await new Promise((done) => {
      port1.onmessage = done;
      port2.postMessage(0);
    });
  }
  port1.close();
}

/** Which way in: how long the Web Lock may let us wait. `timeout`: hardly, so that both ways are mixed in one tab. */
const waits = { web: () => 60_000, file: () => 1, timeout: () => Math.random() * 3 };

const impatient = { initialDelayMs: 2, multiplier: 1.5, maxDelayMs: 12, maxAttempts: Number.POSITIVE_INFINITY };

/** `n` sections, one after the other. */
export async function race({ n, run, tab, way, ...parts }) {
  const lock = createProjectLock(parts);
  const count = { tab, n: 0, strategies: {} };
  const session = way === 'session' ? openProjectLockSession({ retryPolicy: impatient }, lock) : undefined;
  const section = async (lease) => {
    const id = crypto.randomUUID();
    count.strategies[lease.strategy] = (count.strategies[lease.strategy] ?? 0) + 1;
    await window.tell({ kind: 'enter', id, run, tab, token: lease.token });
    if (count.n % 7 === 0) await nap(Math.random() * 2);
    await window.tell({ kind: 'exit', id, run });
    count.n++;
  };
  while (count.n < n) {
    if (session) {
      await session.run(section);
      if (count.n % 50 === 0) await nap(Math.random() * 5);
      continue;
    }
    const maxWaitMs = waits[way]();
    const { lease } = await lock.acquireProjectLock({ maxWaitMs, retryPolicy: impatient });
    await section(lease);
    await lock.releaseProjectLock({ lease });
  }
  await session?.end();
  lock.close();
  return count;
}
