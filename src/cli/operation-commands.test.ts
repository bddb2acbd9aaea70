/** The commands of those who run Kannuki, as they run them: child processes of the built dist, against one server. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let dir = '';
let url = '';
const running = new Set<ChildProcess>();

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

beforeAll(async () => {
  if (!existsSync(main)) throw new Error('dist is missing: run "npm run build" first.');
  dir = mkdtempSync(join(tmpdir(), 'kannuki-operations-'));
  const server = start(['serve', '--port', '0', '--json', '--log-level', 'error']);
  ({ url } = await firstLine<{ url: string }>(server));
}, 120_000);
afterAll(async () => {
  const ends = [...running].map((child) => new Promise((resolve) => child.once('close', resolve)));
  for (const child of running) child.kill('SIGTERM');
  await Promise.all(ends);
  rmSync(dir, { recursive: true, force: true });
}, 60_000);

describe('kannuki demo', { timeout: 120_000 }, () => {
  it('makes runs that succeed, fail, are tried again and are cancelled, and contended leases', async () => {
    const demo = start(['demo', '--json']);
    const { runs, bookings } = await firstLine<{
      runs: Record<string, number>;
      bookings: { held: number; paid: number; refused: string };
    }>(demo);
    expect(bookings.refused).not.toBe('');
    expect(bookings.paid).toBeGreaterThan(bookings.held);
    const wanted = { hello: 'SUCCEEDED', report: 'SUCCEEDED', flaky: 'FAILED', broken: 'FAILED', hang: 'CANCELED' };
    const states = async (): Promise<Record<string, string>> => {
      const listed = JSON.parse((await run(['runs', '--json'])).stdout) as { id: number; state: string }[];
      const stateOf = (id: number | undefined): string => listed.find((one) => one.id === id)?.state ?? 'gone';
      return Object.fromEntries(Object.keys(wanted).map((name) => [name, stateOf(runs[name])]));
    };
    await expect.poll(states, { timeout: 60_000, interval: 500 }).toEqual(wanted);

    const { stdout } = await run(['leases', '--store', url, '--prefix', 'demo/', '--json']);
    const leases = JSON.parse(stdout) as { key: string; waiting: number }[];
    expect(leases.map(({ key }) => key)).toContain('demo/printer');
    expect(leases.reduce((sum, { waiting }) => sum + waiting, 0)).toBeGreaterThan(0);

    const analyses = JSON.parse((await run(['runs', '--job', 'demo.analysis', '--json'])).stdout) as {
      result: { outcome: string };
    }[];
    expect(analyses.map(({ result }) => result.outcome).filter((outcome) => outcome === 'done')).toHaveLength(1);

    // What fails now is on the first screen; three attempts of one run count as what they are.
    const status = await run(['status']);
    expect(status).toMatchObject({ code: 0, stderr: '' });
    expect(status.stdout).toMatch(/^leader .*epoch \d{16}$/m);
    expect(status.stdout).toMatch(/^workers +2 at work/m);
    expect(status.stdout).toMatch(/demo\.broken: \d+ of \d+ failed \(.*Invoice 4711 has no customer/);
    expect(status.stdout).not.toContain('\u001b');
    expect(JSON.parse((await run(['status', '--json'])).stdout)).toMatchObject({ ready: true, workers: { active: 2 } });
    expect((await run(['status'], { LANG: 'ja_JP.UTF-8' })).stdout).toMatch(/^リーダー .*エポック/m);

    demo.child.kill('SIGINT');
    expect(await demo.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Warning') });
    expect((await run(['jobs'])).stdout).toMatch(/demo\.hello.*paused/);
  });

  it('shows a late write refused, and is told apart from one that is not', async () => {
    const [refused, accepted] = await Promise.all([
      run(['demo', 'chaos', '--ttl', '1s']),
      run(['demo', 'chaos', '--ttl', '1s', '--no-fence', '--json']),
    ]);
    expect(refused).toMatchObject({ code: 0, stderr: '' });
    expect(refused.stdout).toMatch(/^5\. Refused: .* still says "written by B"\.$/m);
    expect(accepted.code).toBe(1);
    expect(JSON.parse(accepted.stdout)).toMatchObject({ refused: false, content: 'written by A' });
  });
});

describe('kannuki backup and restore', { timeout: 120_000 }, () => {
  it('take the runs of a server at work to another folder', async () => {
    const made = await run(['backup', 'a.backup', '--json']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(await run(['backup', 'a.backup'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('--overwrite'),
    });
    expect(await run(['restore', 'a.backup', '--check'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^complete: /),
    });
    expect(await run(['restore', 'a.backup'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('stop them first'),
    });
    const restored = await run(['restore', 'a.backup', '--data', 'other'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/db',
    });
    expect(restored).toMatchObject({ code: 0, stderr: expect.stringContaining('private PostgreSQL') });
    const { tables } = JSON.parse(made.stdout) as { tables: Record<string, number> };
    const again = await run(['backup', 'b.backup', '--data', 'other', '--json']);
    expect(JSON.parse(again.stdout).tables).toMatchObject({
      job_run_history: tables.job_run_history,
      job_definitions: tables.job_definitions,
    });
    expect((await run(['restore', 'a.backup', '--data', 'other'])).code).toBe(4);
    writeFileSync(join(dir, 'bad.backup'), 'no backup');
    expect(await run(['restore', 'bad.backup', '--data', 'third'])).toMatchObject({ code: 1, stdout: '' });
    expect(existsSync(join(dir, 'third'))).toBe(false);
    expect((await run(['restore', 'none.backup'])).code).toBe(3);
    expect((await run(['backup', 'c.backup', '--data', 'third'])).code).toBe(3);
    expect((await run(['backup', 'c.backup', '--store', 'redis://127.0.0.1'])).code).toBe(2);
    const away = await run(['backup', 'c.backup', '--store', 'postgres://u:hunter2@127.0.0.1:1/db']);
    expect(away.code).toBe(5);
    expect(away.stderr).not.toContain('hunter2');
  });
});

describe('exit codes of what a server answers', { timeout: 60_000 }, () => {
  it('are those of the table, and 6 where nobody knows', async () => {
    const answers: Readonly<Record<string, readonly [number, object, number]>> = {
      bad: [400, { detail: 'bad' }, 2],
      unprocessable: [422, { detail: 'other body' }, 2],
      missing: [404, { detail: 'missing' }, 3],
      conflict: [409, { detail: 'conflict' }, 4],
      strange: [401, { detail: 'who are you' }, 5],
      stopping: [503, { detail: 'stopping', code: 'stopping' }, 5],
      broken: [500, { detail: 'broken' }, 6],
      away: [503, { detail: 'no answer', code: 'store-unavailable' }, 6],
    };
    const server = createServer((request, response) => {
      const name = /jobs\/(\w+)\/runs/.exec(request.url ?? '')?.[1] ?? '';
      const answer = answers[name];
      // The request was read, and no answer comes: it may have been done.
      if (!answer) return request.resume().on('end', () => response.destroy());
      response.writeHead(answer[0], { 'content-type': 'application/problem+json' }).end(JSON.stringify(answer[1]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const env = {
        KANNUKI_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        KANNUKI_API_TOKEN: 'x'.repeat(32),
      };
      const cases = [
        ...Object.entries(answers).map(([name, [, , code]]) => [name, code] as const),
        ['silent', 6] as const,
      ];
      await Promise.all(
        cases.map(async ([name, code]) => {
          const ended = await run(['jobs', 'enqueue', name], env);
          expect(ended.code, name).toBe(code);
          expect(ended.stderr.trimEnd().split('\n'), name).toHaveLength(1);
        }),
      );
      expect((await run(['jobs'], env)).code).toBe(5);
      expect((await run(['status'], { ...env, KANNUKI_URL: 'http://127.0.0.1:1' })).code).toBe(5);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('kannuki completion', () => {
  it('offers commands and options in bash', async () => {
    const script = join(dir, 'completion.bash');
    const { stdout } = await run(['completion', 'bash']);
    writeFileSync(script, stdout);
    const offered = (...words: readonly string[]): readonly string[] => {
      const line = `source ${script}; COMP_WORDS=(${words.map((word) => `"${word}"`).join(' ')}); COMP_CWORD=${words.length - 1}; _kannuki; echo "\${COMPREPLY[@]}"`;
      return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).trim().split(' ');
    };
    expect(offered('kannuki', 'back')).toEqual(['backup']);
    expect(offered('kannuki', 'jobs', 'p')).toEqual(['pause']);
    expect(offered('kannuki', 'jobs', 'define', '--cr')).toEqual(['--cron']);
    expect(offered('kannuki', 'demo', 'chaos-')).toEqual(['']);
    expect(offered('kannuki', 'exec', '--lock', 'a', '--', '--')).toEqual(['']);
  });

  it('is written for zsh and fish', async () => {
    const [zsh, fish] = await Promise.all([run(['completion', 'zsh']), run(['completion', 'fish'])]);
    expect(zsh.stdout).toMatch(/'kannuki runs'\) offers=\('list:list runs, newest first'/);
    expect(zsh.stdout).toMatch(/compdef _kannuki kannuki\n$/);
    expect(fish.stdout).toContain(`test (__kannuki_at) = 'kannuki jobs'" -f -a define -d 'define a job without code`);
    expect(fish.stdout).toContain(`-l json -d 'print JSON'`);
  });
});
