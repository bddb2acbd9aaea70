// A holder has crashed and its lease is over. Sixteen processes find it at the same moment: exactly one may take it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileStore } from '../../dist/stores/file/index.js';

export const title = 'Sixteen processes race for a lease whose holder is gone: in how many rounds do two get it?';

const worker = fileURLToPath(new URL('workers/take-over.mjs', import.meta.url));
const processes = 16;

export async function run({ quick, log }) {
  const rounds = quick ? 60 : 500;
  const rows = [];
  for (const kind of ['kannuki', 'proper-lockfile']) {
    const dir = mkdtempSync(join(tmpdir(), 'kannuki-bench-stale-'));
    try {
      rows.push(await race(kind, dir, rounds));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
    log(`${kind}: ${rounds} rounds done`);
  }
  return { rows };
}

async function race(kind, dir, rounds) {
  const children = Array.from({ length: processes }, () => fork(worker, [kind, dir]));
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    const row = {
      locks: kind,
      rounds,
      'rounds with two or more holders': 0,
      'surplus holders': 0,
      'rounds with none': 0,
    };
    for (let round = 0; round < rounds; round++) {
      const key = `round-${round}`;
      await leaveStale[kind](dir, key);
      const answers = children.map((child) => once(child, 'message'));
      // All start at one moment, which leaves time for the message to arrive.
      for (const child of children) child.send({ key, atMs: Date.now() + 10 });
      const winners = (await Promise.all(answers)).filter(([won]) => won).length;
      if (winners > 1) row['rounds with two or more holders']++;
      if (winners > 1) row['surplus holders'] += winners - 1;
      if (winners === 0) row['rounds with none']++;
    }
    return row;
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** What a holder leaves that crashed an hour ago. */
const leaveStale = {
  async kannuki(dir, key) {
    const store = fileStore({ dir });
    await store.acquire({ key, owner: 'gone.1@bench', ttlMs: 60_000, line: false });
    await store.close();
    const folder = join(dir, `${key}.lease`);
    const [state] = readdirSync(folder);
    // The second field is the kind of state, the third its end by the machine's clock.
    const [token, kind, , ...rest] = state.split('.');
    renameSync(join(folder, state), join(folder, [token, kind, '1', ...rest].join('.')));
  },
  'proper-lockfile'(dir, key) {
    const path = join(dir, `${key}.lock`);
    mkdirSync(path);
    const anHourAgo = Date.now() / 1000 - 3600;
    utimesSync(path, anHourAgo, anHourAgo);
  },
};
