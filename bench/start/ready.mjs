// From the start of `kannuki serve` to the first yes of /readyz: a new folder, then the same one again.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const title = 'How long until `kannuki serve` is ready? (limits: 3 s on a new folder, 1.5 s on an existing one)';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export async function run({ quick }) {
  const rounds = quick ? 2 : 7;
  const times = { new: [], existing: [] };
  for (let i = 0; i < rounds; i++) {
    const dir = mkdtempSync(join(tmpdir(), 'kannuki-start-'));
    try {
      times.new.push(await startOnce(join(dir, 'data')));
      times.existing.push(await startOnce(join(dir, 'data')));
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  return {
    rows: Object.entries(times).map(([folder, ms]) => {
      const sorted = [...ms].sort((a, b) => a - b);
      return {
        folder,
        'fastest ms': sorted[0],
        'median ms': sorted[Math.floor(sorted.length / 2)],
        'slowest ms': sorted.at(-1),
        starts: sorted.length,
      };
    }),
  };
}

async function startOnce(data) {
  const port = await freePort();
  const startMs = performance.now();
  const child = spawn(process.execPath, [main, 'serve', '--port', String(port), '--data', data], { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null) throw new Error(`kannuki serve ended with ${child.exitCode}`);
      // Nothing tells when a port opens; asked often enough, the answer is exact to a few milliseconds.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return Math.round(performance.now() - startMs);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

async function isReady(port) {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
