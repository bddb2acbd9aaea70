/** `kannuki serve` stopped, killed and started again, as real processes: on one PostgreSQL, and on its own database. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { reportComponent } from '../servers/report-component.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const token = 'a-token-that-is-only-used-in-this-test';

/** Its runs tell a file when they begin and end, with the process that ran them. */
const config = `
import { appendFileSync, existsSync } from 'node:fs';
const tell = (word, run) => appendFileSync(process.env.TOLD, word + ' ' + run.id + ' ' + process.pid + '\\n');
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const work = (ms) => async ({ run }) => {
  tell('began', run);
  await pause(ms);
  tell('ended', run);
};
const held = async ({ run }) => {
  tell('began', run);
  while (!existsSync(process.env.TOLD + '.go')) await pause(50);
  tell('ended', run);
};
export default { jobs: [
  { name: 'held', handler: held },
  { name: 'slow', handler: work(1500) },
  { name: 'gated', concurrency: 'forbid', handler: work(0) },
] };
`;

interface Serve {
  readonly child: ChildProcess;
  readonly url: string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

let dir = '';
let postgres: PostgresServer;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kannuki-stop-'));
  writeFileSync(join(dir, 'kannuki.config.mjs'), config);
  writeFileSync(told(), '');
  postgres = await startPostgres({ major: 18 });
  reportComponent({ component: `PostgreSQL ${postgres.version}`, status: 'took part' });
});
afterAll(async () => {
  const ends = [...children].map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(ends);
  await postgres.stop();
  rmSync(dir, { recursive: true, force: true });
}, 90_000);

const told = (): string => join(dir, 'told');
const linesTold = (word: string): readonly { id: number; pid: number }[] =>
  readFileSync(told(), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${word} `))
    .map((line) => ({ id: Number(line.split(' ')[1]), pid: Number(line.split(' ')[2]) }));

async function serve(data: string, env: Record<string, string> = {}): Promise<Serve> {
  const args = ['serve', '--port', '0', '--json', '--log-level', 'error', '--data', join(dir, data)];
  const child = spawn(process.execPath, [main, ...args], {
    cwd: dir,
    env: { PATH: process.env.PATH ?? '', TOLD: told(), KANNUKI_API_TOKEN: token, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const ended = once(child, 'exit').then(([code]) => {
    children.delete(child);
    return code as number | null;
  });
  const first = once(createInterface(child.stdout), 'line').then(([line]) => String(line));
  const line = await Promise.race([first, ended.then((code) => Promise.reject(new Error(`serve ended with ${code}`)))]);
  return { child, ended, url: (JSON.parse(line) as { url: string }).url };
}

async function call<Reply>({ url }: Serve, path: string, body?: object): Promise<Reply> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Reply;
}

const enqueue = async (server: Serve, job: string): Promise<number> =>
  (await call<{ runId: number }>(server, `/jobs/${job}/runs`, { payload: null })).runId;
const epochOf = async (server: Serve): Promise<number> =>
  (await call<{ epoch: number }>(server, '/overview?minutes=60')).epoch;
const workersOf = (
  server: Serve,
): Promise<{ workers: { id: number; name: string; state: string; leading: boolean }[] }> => call(server, '/workers');
const until = (look: () => unknown, timeout = 30_000): Promise<void> =>
  expect.poll(look, { timeout, interval: 50 }).toBe(true);

describe('two servers on one PostgreSQL', { timeout: 300_000 }, () => {
  it('one that is told to stop ends its runs, gives its leases back and lets the other lead', async () => {
    const env = { DATABASE_URL: postgres.url };
    const first = await serve('one', env);
    await until(async () => (await epochOf(first)) > 0);
    await Promise.all(Array.from({ length: 8 }, () => enqueue(first, 'held')));
    await until(() => linesTold('began').length === 8);
    const second = await serve('two', env);
    const before = await epochOf(first);

    first.child.kill('SIGTERM');
    // Leadership goes first: the other leads while the runs of this one go on.
    await until(async () => (await epochOf(second)) > before, 60_000);
    expect(first.child.exitCode).toBeNull();
    expect(linesTold('ended')).toEqual([]);
    writeFileSync(`${told()}.go`, '');
    expect(await first.ended).toBe(0);
    // Every run it had begun it has ended; none was begun twice.
    expect(linesTold('ended')).toHaveLength(8);
    const began = linesTold('began');
    expect(new Set(began.map(({ id }) => id)).size).toBe(began.length);
    expect(
      linesTold('ended')
        .map(({ id, pid }) => `${id} ${pid}`)
        .sort(),
    ).toEqual(began.map(({ id, pid }) => `${id} ${pid}`).sort());
    const { workers } = await workersOf(second);
    expect(workers.map(({ state }) => state).sort()).toEqual(['ACTIVE', 'STOPPED']);
    const { leases } = await call<{ leases: { owner: string; key: string }[] }>(second, '/leases?limit=100');
    expect(leases.filter(({ owner }) => owner.includes(`-${first.child.pid}`))).toEqual([]);

    // Back again, it takes its part; the other is killed, and work that needs a leader goes on. (How soon: servers.test.ts.)
    const again = await serve('one', env);
    second.child.kill('SIGKILL');
    await second.ended;
    const gated = await enqueue(again, 'gated');
    await until(() => linesTold('ended').some(({ id }) => id === gated), 60_000);
    expect(await epochOf(again)).toBeGreaterThan(before);
    again.child.kill('SIGTERM');
    expect(await again.ended).toBe(0);
  });
});

describe('a server with its own database', { timeout: 300_000 }, () => {
  it('takes it down when it stops, and finds everything when it starts again, also after a kill', async () => {
    const pidFile = join(dir, 'own', 'postgres', 'postmaster.pid');
    const first = await serve('own');
    const run = await enqueue(first, 'slow');
    await until(() => linesTold('began').some(({ id, pid }) => id === run && pid === first.child.pid));
    expect(existsSync(pidFile)).toBe(true);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    expect(existsSync(pidFile)).toBe(false);
    expect(linesTold('ended').some(({ id, pid }) => id === run && pid === first.child.pid)).toBe(true);

    const second = await serve('own');
    expect((await call<{ run: { state: string } }>(second, `/runs/${run}`)).run.state).toBe('SUCCEEDED');
    const interrupted = await enqueue(second, 'slow');
    await until(() => linesTold('began').some(({ id, pid }) => id === interrupted && pid === second.child.pid));
    second.child.kill('SIGKILL');
    await second.ended;

    // Its database is still there, or is recovered, and knows of the run; a leader gives it to another worker in time.
    const third = await serve('own');
    const { run: found } = await call<{ run: { state: string; attempt: number } }>(third, `/runs/${interrupted}`);
    expect(found.state).not.toBe('SUCCEEDED');
    expect(found.attempt).toBe(1);
    third.child.kill('SIGTERM');
    expect(await third.ended).toBe(0);
    expect(existsSync(pidFile)).toBe(false);
  });
});
