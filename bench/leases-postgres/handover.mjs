// Eight waiters, ten sections of 5 ms each, one key: how much longer than the same sections back to back, and how long
// does the unluckiest section wait? Once with all waiters in one process, once with each in its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from '../../dist/embedded/index.js';
import { median } from '../compare-cycles.mjs';
import { ideal, kinds } from './workers/lock-kinds.mjs';

export const title = 'Eight waiters × ten sections of 5 ms on one key in PostgreSQL: how close to back to back?';

const worker = fileURLToPath(new URL('workers/take-turns.mjs', import.meta.url));
const ringWorker = fileURLToPath(new URL('workers/ring.mjs', import.meta.url));
const waiters = 8;
const sections = 10;
/** What is compared is processes that have been running for a while. */
const warmLaps = 3;

export async function run({ quick, log }) {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-bench-pg-'));
  const embedded = await openEmbedded({ dir, engine: 'postgres' });
  const results = new Map();
  const note = (name, took, longest = 0) => {
    const list = results.get(name) ?? [];
    results.set(name, [...list, { took, longest }]);
  };
  try {
    for (let round = 0; round < (quick ? 3 : 7); round++) {
      for (const kind of Object.keys(kinds)) {
        for (const processes of kinds[kind].processes) {
          const { took, longest } = await takeTurns(embedded.url, kind, processes, `hot-${round}`);
          note(
            kind === ideal ? kind : `${kind}, ${processes === 1 ? 'one process' : 'eight processes'}`,
            took,
            longest,
          );
        }
      }
      log(`round ${round + 1} done`);
    }
  } finally {
    await embedded.close();
    rmSync(dir, { recursive: true, force: true });
  }
  const ideals = results.get(ideal).map(({ took }) => took);
  return {
    rows: [...results].map(([name, list]) => ({
      locks: name,
      milliseconds: Math.round(median(list.map(({ took }) => took))),
      '× ideal': median(list.map(({ took }, i) => took / ideals[i])),
      'longest wait (ms)': Math.round(median(list.map(({ longest }) => longest))),
    })),
  };
}

async function takeTurns(url, kind, processes, key) {
  if (kinds[kind].ring) return runRing(url, processes, key);
  const children = Array.from({ length: processes }, () =>
    fork(worker, [url, kind, String(waiters / processes), String(sections)]),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    // First with other keys, so that connections for waiting are open and the code is warm, for everybody.
    for (let lap = 0; lap < warmLaps; lap++) await askAll(children, `warm-${lap}-${key}`);
    const done = await askAll(children, key);
    return {
      took: Math.max(...done.map(({ end }) => end)) - Math.min(...done.map(({ start }) => start)),
      longest: Math.max(...done.map(({ longest }) => longest)),
    };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** Processes in a ring, each told by the one before it. */
async function runRing(url, processes, key) {
  const ring = `ring_${key.replaceAll('-', '_')}`;
  const children = Array.from({ length: processes }, (_, i) =>
    fork(ringWorker, [url, ring, String(i), String(processes), String(waiters * sections)]),
  );
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    for (let lap = 0; lap <= warmLaps; lap++) {
      const over = Promise.race(children.map((child) => once(child, 'message')));
      const start = performance.now();
      children[0].send(lap);
      await over;
      if (lap === warmLaps) return { took: performance.now() - start, longest: 0 };
    }
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

async function askAll(children, key) {
  const answers = children.map((child) => once(child, 'message'));
  for (const child of children) child.send(key);
  return (await Promise.all(answers)).map(([answer]) => answer);
}
