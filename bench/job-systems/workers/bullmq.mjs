// On Redis without persistence: another class of durability, shown for the sake of scale. Jobs are removed when done.
import { Queue, Worker } from 'bullmq';
import { sampleLatency } from './kannuki.mjs';

export async function openSystem({ redisPort, keyed }) {
  const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null };
  const queue = new Queue('noop', { connection });
  const options = { removeOnComplete: true, removeOnFail: true };
  return {
    async enqueue(n, chunk = 1_000) {
      for (let from = 0; from < n; from += chunk) {
        const jobs = Array.from({ length: Math.min(chunk, n - from) }, (_, k) => ({
          name: 'noop',
          data: { i: from + k },
          opts: keyed ? { ...options, jobId: `k-${from + k}` } : options,
        }));
        await queue.addBulk(jobs);
      }
    },
    settle: async () => {},
    async drain(n) {
      let completed = 0;
      let done;
      const all = new Promise((resolve) => {
        done = resolve;
      });
      const worker = new Worker('noop', async () => {}, {
        connection,
        concurrency: 100,
        skipStalledCheck: true,
        autorun: false,
        ...options,
      });
      worker.on('completed', () => {
        if (++completed === n) done();
      });
      void worker.run();
      await all;
      return () => worker.close();
    },
    async latency(samples) {
      let tell = () => {};
      const worker = new Worker('noop', async () => tell(), { connection, concurrency: 1 });
      await worker.waitUntilReady();
      const times = await sampleLatency(
        samples,
        (i) => queue.add('noop', { i }, options),
        (listener) => {
          tell = listener;
        },
      );
      await worker.close();
      return times;
    },
    // The Redis is shared by all rounds.
    async close() {
      await queue.obliterate({ force: true });
      await queue.close();
    },
  };
}
