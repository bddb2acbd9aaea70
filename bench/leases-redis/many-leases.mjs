// One process holds 10,000 leases and renews them in scripts of 500: how long do other clients wait meanwhile?
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { createLeases } from '../../dist/index.js';
import { redisStore } from '../../dist/stores/redis/index.js';
import { median } from '../compare-cycles.mjs';
import { startRedis } from '../start-redis.mjs';

export const title =
  'What do other clients notice while one process renews 10,000 leases? (a GET every ms, by another process)';

const worker = fileURLToPath(new URL('workers/other-client.mjs', import.meta.url));
const count = 10_000;
/** A beat every 3 s. */
const ttlMs = 12_000;
const beatsPerRun = 2;

export async function run({ quick, log }) {
  const redis = await startRedis();
  const client = new Redis(redis.port, '127.0.0.1');
  const child = fork(worker, [String(redis.port)]);
  const beats = [];
  const leases = createLeases({
    store: redisStore({ client }),
    ttlMs,
    onEvent(event) {
      if (event.type === 'lost') throw new Error('A lease was lost.');
      if (event.type === 'renewed') beats.push({ end: nowMs(), tookMs: event.tookMs, count: event.count });
    },
  });
  try {
    await once(child, 'message');
    for (let first = 0; first < count; first += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, i) => leases.tryAcquire(`key-${first + i}`)));
    }
    const runs = [];
    for (let round = 0; round < (quick ? 2 : 5); round++) {
      runs.push(await watchBeats(child, beats));
      log(`run ${round + 1} done`);
    }
    return {
      rows: [
        {
          leases: count,
          'one beat (ms)': median(runs.map(({ beatMs }) => beatMs)),
          'others, p50 (ms)': median(runs.map(({ p50 }) => p50)),
          'others, p99 (ms)': median(runs.map(({ p99 }) => p99)),
          'others, longest (ms)': median(runs.map(({ longest }) => longest)),
          'others without a beat, p99 (ms)': median(runs.map(({ quietP99 }) => quietP99)),
        },
      ],
      redis: redis.version,
    };
  } finally {
    await leases.close();
    child.kill('SIGKILL');
    client.disconnect();
    await redis.stop();
  }
}

/** What the other client saw during some beats, and between them. */
async function watchBeats(child, beats) {
  beats.length = 0;
  child.send('start');
  while (beats.reduce((sum, beat) => sum + beat.count, 0) < count * beatsPerRun) await sleep(50);
  const answered = once(child, 'message');
  child.send('stop');
  const [samples] = await answered;
  const during = ([sent, took]) => beats.some(({ end, tookMs }) => sent + took >= end - tookMs && sent <= end);
  const waits = (some) => some.map(([, took]) => took).sort((a, b) => a - b);
  const meanwhile = waits(samples.filter(during));
  return {
    beatMs: median(beats.map(({ tookMs }) => tookMs)),
    p50: at(meanwhile, 0.5),
    p99: at(meanwhile, 0.99),
    longest: meanwhile.at(-1),
    quietP99: at(waits(samples.filter((sample) => !during(sample))), 0.99),
  };
}

function at(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** The same for all processes of this machine. */
function nowMs() {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
