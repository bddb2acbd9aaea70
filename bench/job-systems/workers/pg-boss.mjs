// History kept, attempts fenced. A partition per queue, batches of 1,000, three at once; the monitor and instruments off.

import pg from 'pg';
import { fromPglite, PgBoss } from 'pg-boss';
import { sampleLatency } from './kannuki.mjs';

export async function openSystem({ url, pglite, notify = false, keyed, ownOptions }) {
  let db;
  let handle;
  if (pglite) {
    const { PGlite } = await import('@electric-sql/pglite');
    handle = new PGlite();
    await handle.waitReady;
    db = fromPglite(handle);
  }
  const boss = new PgBoss({
    ...(db ? { db } : { connectionString: url, max: 6 }),
    supervise: false,
    schedule: false,
    registerInstance: false,
    openTelemetry: { enabled: false },
    useListenNotify: notify,
  });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue('noop', { partition: true, notify, retryLimit: 0 });
  const client = pglite ? { query: (text) => handle.query(text), end: () => handle.close() } : new pg.Client(url);
  await client.connect?.();
  return {
    async enqueue(n, chunk = 10_000) {
      for (let from = 0; from < n; from += chunk) {
        const jobs = Array.from({ length: Math.min(chunk, n - from) }, (_, k) => ({
          data: { i: from + k },
          ...(keyed && { singletonKey: `k:${from + k}` }),
          ...(ownOptions && { priority: k % 3 }),
        }));
        await boss.insert('noop', jobs);
      }
    },
    rowsHeld: () => (pglite ? 1_000 : 3_000),
    settle: async () => {
      await client.query('vacuum analyze');
      await client.query('checkpoint');
    },
    async drain(n) {
      let started = 0;
      let done;
      const all = new Promise((resolve) => {
        done = resolve;
      });
      const options = {
        batchSize: 1_000,
        localConcurrency: pglite ? 1 : 3,
        pollingIntervalSeconds: 0.5,
        burstWhenBatchFull: true,
      };
      await boss.work('noop', options, async (jobs) => {
        started += jobs.length;
        if (started >= n) done();
      });
      await all;
      await boss.offWork('noop', { wait: true });
      const { rows } = await client.query(
        `select count(*)::int as n from pgboss.job where name = 'noop' and state = 'completed'`,
      );
      if (rows[0].n < n) throw new Error(`Only ${rows[0].n} of ${n} are completed.`);
      return async () => {};
    },
    async latency(samples) {
      let tell = () => {};
      await boss.work('noop', { batchSize: 1, pollingIntervalSeconds: 2 }, async () => tell());
      const times = await sampleLatency(
        samples,
        (i) => boss.send('noop', { i }),
        (listener) => {
          tell = listener;
        },
      );
      await boss.offWork('noop', { wait: true });
      return times;
    },
    async close() {
      await boss.stop({ graceful: false, close: true });
      await client.end();
    },
  };
}
