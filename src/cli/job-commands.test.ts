/** Jobs by the command line, as a user runs it: a server, a second worker, and clients, all of the built dist. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
let dir = '';
let url = '';
const running = new Set<ChildProcess>();

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(
  args: readonly string[],
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    cwd: dir,
    env: { PATH, KANNUKI_URL: url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output.stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output.stderr += chunk;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code, ...output });
    });
  });
  return { child, ended };
}

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> => start(args, env).ended;

/** The first line that a program prints, as JSON. */
async function firstLine<T>({ child, ended }: { child: ChildProcess; ended: Promise<Ended> }): Promise<T> {
  const line = new Promise<string>((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
  return JSON.parse(await Promise.race([line, failed])) as T;
}

const config = `
import { writeFileSync } from 'node:fs';
export default { jobs: [{ name: 'hello', handler: async ({ log, flushLog, payload }) => {
  log('hello ' + payload.to); await flushLog(); return process.pid; } },
  { name: 'endless', maxRetries: 0, handler: ({ signal, log }) => { log('on and on'); return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))); } }] };
`;

beforeAll(async () => {
  if (!existsSync(main)) throw new Error('dist is missing: run "npm run build" first.');
  dir = mkdtempSync(join(tmpdir(), 'kannuki-job-cli-'));
  writeFileSync(join(dir, 'kannuki.config.mjs'), config);
  const server = start(['serve', '--port', '0', '--json', '--commands', '--log-level', 'error']);
  ({ url } = await firstLine<{ url: string }>(server));
}, 120_000);
afterAll(async () => {
  const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const child of running) child.kill('SIGTERM');
  await Promise.all(ends);
  rmSync(dir, { recursive: true, force: true });
}, 60_000);

describe('kannuki jobs, runs and workers', { timeout: 120_000 }, () => {
  it('run code of the configuration, and follow its log', async () => {
    const enqueued = await run(['jobs', 'enqueue', 'hello', '--payload', '{"to":"世界"}']);
    expect(enqueued).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\n$/) });
    const id = enqueued.stdout.trim();
    const tailed = await run(['runs', 'tail', id]);
    expect(tailed).toMatchObject({ code: 0, stdout: 'hello 世界\n', stderr: `run ${id} ended: SUCCEEDED\n` });
    expect((await run(['runs', '--job', 'hello'])).stdout).toMatch(new RegExp(`${id}\\s+hello\\s+SUCCEEDED`));
    expect(JSON.parse((await run(['runs', 'show', id, '--json'])).stdout).transitions).toHaveLength(3);
  });

  it('define a command and run it; a failure is told and ends with 1', async () => {
    const defined = await run([
      'jobs',
      'define',
      'fail',
      '--daily',
      '02:30',
      '--zone',
      'Asia/Tokyo',
      '--retries',
      '0',
      '--',
      'sh',
      '-c',
      'echo no luck >&2; exit 3',
    ]);
    expect(defined).toMatchObject({ code: 0, stderr: expect.stringContaining('next due times of "fail"') });
    expect(defined.stdout.trim().split('\n')).toHaveLength(5);
    expect(defined.stdout).toMatch(/T17:30:00Z/);
    const id = (await run(['jobs', 'enqueue', 'fail'])).stdout.trim();
    const tailed = await run(['runs', 'tail', id]);
    expect(tailed).toMatchObject({ code: 1, stdout: 'no luck\n', stderr: expect.stringContaining('exit code 3') });
    expect((await run(['jobs'])).stdout).toMatch(/fail\s+default\s+daily 02:30 Asia\/Tokyo/);
    expect((await run(['runs', '--state', 'failed'])).stdout).toContain('exit code 3');
    const retried = await run(['runs', 'retry', id]);
    expect(retried.code).toBe(0);
    expect((await run(['runs', 'retry', id])).code).toBe(4);
  });

  it('cancel what runs', async () => {
    const id = (await run(['jobs', 'enqueue', 'endless', '--key', 'only-one'])).stdout.trim();
    expect((await run(['jobs', 'enqueue', 'endless', '--key', 'only-one'])).stdout.trim()).toBe(id);
    const tail = start(['runs', 'tail', id]);
    await new Promise<void>((resolve) => tail.child.stdout?.once('data', () => resolve()));
    expect(await run(['runs', 'cancel', id, '--why', 'enough'])).toMatchObject({
      code: 0,
      stderr: `run ${id}: its worker was told to stop\n`,
    });
    expect(await tail.ended).toMatchObject({
      code: 1,
      stdout: 'on and on\n',
      stderr: expect.stringContaining('CANCELED'),
    });
  });

  it('pause and resume', async () => {
    expect((await run(['jobs', 'pause', 'hello'], { LANG: 'ja_JP.UTF-8' })).stderr).toBe('"hello" を停止しました\n');
    expect((await run(['jobs'])).stdout).toMatch(/hello.*paused/);
    expect((await run(['jobs', 'resume', 'hello'])).code).toBe(0);
  });

  it('share the work with a second worker on the same data, which can be drained', async () => {
    const second = start(['worker', '--json', '--log-level', 'error']);
    const { worker } = await firstLine<{ worker: number }>(second);
    const listed = JSON.parse((await run(['workers', '--json'])).stdout) as { id: number; leading: boolean }[];
    expect(listed.map(({ id }) => id)).toContain(worker);
    const ids = await Promise.all(
      [1, 2, 3, 4].map(async () =>
        (await run(['jobs', 'enqueue', 'hello', '--payload', '{"to":"you"}'])).stdout.trim(),
      ),
    );
    for (const id of ids) expect((await run(['runs', 'tail', id])).code).toBe(0);
    expect((await run(['workers', 'drain', String(worker), '--why', 'test'])).code).toBe(0);
    expect((await run(['workers'])).stdout).toMatch(new RegExp(`${worker}\\s.*DRAINING`));
    second.child.kill('SIGTERM');
    expect(await second.ended).toMatchObject({ code: 0 });
  });

  it('say what is wrong in one sentence, with its exit code', async () => {
    const cases: readonly [readonly string[], number, RegExp][] = [
      [['jobs', 'show', 'nobody'], 3, /No job is called "nobody"/],
      [['runs', 'show', '999999'], 3, /There is no run 999999/],
      [['runs', 'tail', 'x'], 2, /"x" is not an id/],
      [['jobs', 'enqueue', 'hello', '--payload', '{'], 2, /--payload is not valid JSON/],
      [['jobs', 'define', 'x', '--cron', '0 0 30 2 *'], 2, /never fires/],
      [['jobs', 'define', 'x', '--cron', '* * * * *', '--every', '5'], 2, /one of --cron/],
      [['jobs', 'define', 'x', '--http', 'http://x/', '--', 'true'], 2, /either --http/],
      [['workers', 'drain', '999999'], 3, /no live worker/],
      [['jobs', '--url', 'http://127.0.0.1:65500'], 5, /cannot be reached \(ECONNREFUSED\)/],
    ];
    for (const [args, code, sentence] of cases) {
      const ended = await run(args);
      expect(ended.stderr, args.join(' ')).toMatch(sentence);
      expect(ended.code, args.join(' ')).toBe(code);
    }
    writeFileSync(
      join(dir, 'bad.mjs'),
      'export default { jobs: [{ name: "x", schedule: { kind: "cron", cron: "x" } }] };',
    );
    expect(await run(['worker', '--config', 'bad.mjs', '--data', join(dir, 'other')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bad.mjs cannot be used'),
    });
    expect(await run(['worker', '--config', 'none.mjs', '--data', join(dir, 'other')])).toMatchObject({ code: 2 });
    expect(
      await run(['worker', '--data', join(dir, 'other')], { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'k' }),
    ).toMatchObject({ code: 2, stderr: expect.stringContaining('S3_SECRET_ACCESS_KEY is not') });
  });
});
