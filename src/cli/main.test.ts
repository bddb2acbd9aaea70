/** The command as a user runs it: child processes of the built dist/cli/main.js. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when standard output contains the text. */
  printed(text: string): Promise<void>;
  /** What was printed so far. */
  stdout(): string;
}

let dir = '';
/** Where `exec` keeps its locks unless it is told otherwise. */
const files = 'file:.kannuki/leases';
const running = new Set<ChildProcess>();

beforeAll(() => {
  if (!existsSync(main)) throw new Error('dist is missing: run "npm run build" first.');
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kannuki-cli-'));
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

function start(args: readonly string[], env: Record<string, string> = {}, cwd = dir): Started {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const output = { stdout: '', stderr: '' };
  const waiting: { text: string; resolve: () => void }[] = [];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output.stdout += chunk;
    for (const { text, resolve } of waiting) if (output.stdout.includes(text)) resolve();
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
  const printed = (text: string): Promise<void> =>
    Promise.race([
      new Promise<void>((resolve) => {
        if (output.stdout.includes(text)) resolve();
        else waiting.push({ text, resolve });
      }),
      ended.then(({ code, stderr }) => {
        if (!output.stdout.includes(text)) throw new Error(`ended with ${code} before printing "${text}": ${stderr}`);
      }),
    ]);
  return { child, ended, printed, stdout: () => output.stdout };
}

function run(args: readonly string[], env: Record<string, string> = {}, cwd = dir): Promise<Ended> {
  return start(args, env, cwd).ended;
}

/** A command that says it runs, and goes on until it is ended. */
const endless = ['sh', '-c', 'trap "echo told; exit 9" TERM; echo started; while :; do sleep 0.05; done'];

describe('exec', () => {
  it('passes on the exit code, with the fencing number in the environment', async () => {
    const first = await run(['exec', '--lock', 'a', '--', 'sh', '-c', 'echo $KANNUKI_LOCK $KANNUKI_TOKEN; exit 7']);
    expect(first).toMatchObject({ code: 7, stdout: expect.stringMatching(/^a \d{16}\n$/), stderr: '' });
    const second = await run(['exec', '--lock', 'a', '--shared', 'sh', '-c', 'echo $KANNUKI_TOKEN; kill -9 $$']);
    expect(second.code).toBe(137);
    expect(Number(second.stdout)).toBeGreaterThan(Number(first.stdout.split(' ')[1]));
  });

  it('says that there is no such command, or that it cannot be started', async () => {
    const [missing, unusable] = await Promise.all([
      run(['exec', '--lock', 'a', '--', 'no-such-command-here']),
      run(['exec', '--lock', 'b', '--', '/']),
    ]);
    expect(missing).toMatchObject({ code: 127, stderr: 'kannuki: there is no command "no-such-command-here".\n' });
    expect(unusable).toMatchObject({ code: 126, stderr: 'kannuki: the command "/" cannot be started: EACCES.\n' });
    expect((await run(['leases', '--json', '--store', files])).stdout).toBe('[]\n');
  });

  it('excludes: not at once, not within the wait, then after the release', async () => {
    const holder = start(['exec', '--lock', 'a', '--', ...endless]);
    await holder.printed('started');
    const [now, late] = await Promise.all([
      run(['exec', '--lock', 'a', '--', 'echo', 'never']),
      run(['exec', '--lock', 'a', '--wait', '100ms', '--', 'echo', 'never']),
    ]);
    expect(now).toMatchObject({
      code: 75,
      stdout: '',
      stderr: expect.stringMatching(/^kannuki: "a" is held by .*not started/),
    });
    expect(late).toMatchObject({ code: 75, stdout: '', stderr: expect.stringContaining('was not free within 100ms') });
    const patient = start(['exec', '--lock', 'a', '--wait', '20s', '--', 'echo', 'my turn']);
    holder.child.kill('SIGTERM');
    expect(await holder.ended).toMatchObject({ code: 9, stdout: 'started\ntold\n' });
    expect(await patient.ended).toMatchObject({ code: 0, stdout: 'my turn\n' });
  });

  it('lets as many in as there are permits', async () => {
    const holders = [0, 1].map(() => start(['exec', '--lock', 'a', '--permits', '2', '--', ...endless]));
    await Promise.all(holders.map((holder) => holder.printed('started')));
    expect((await run(['exec', '--lock', 'a', '--permits', '2', '--', 'true'])).code).toBe(75);
    for (const { child } of holders) child.kill('SIGTERM');
    await Promise.all(holders.map((holder) => holder.ended));
  });

  it('ends the command when the lease is broken, and says why', async () => {
    const stubborn = ['sh', '-c', 'trap "" TERM; echo started; while :; do sleep 0.05; done'];
    const holder = start(['exec', '--lock', 'a', '--ttl', '1s', '--grace', '100ms', '--', ...stubborn]);
    await holder.printed('started');
    expect(JSON.parse((await run(['leases', '--json', '--store', files])).stdout)).toMatchObject([
      { key: 'a', waiting: 0 },
    ]);
    const broke = await run(['leases', 'break', 'a', '--reason', 'a test', '--by', 'ann', '--store', files]);
    expect(broke).toMatchObject({ code: 0, stderr: expect.stringMatching(/^broke "a", held by /) });
    expect(await holder.ended).toMatchObject({
      code: 76,
      stderr: 'kannuki: the lease "a" was lost (broken by ann: a test); the command was ended.\n',
    });
    expect((await run(['leases', 'break', 'a', '--reason', 'again', '--store', files])).code).toBe(3);
  });

  it('does not leave its command behind when it is killed', async () => {
    const faithful = 'trap "echo told" HUP; echo started; while :; do sleep 0.05; done';
    const holder = start(['exec', '--lock', 'a', '--ttl', '1s', '--', 'sh', '-c', faithful]);
    await holder.printed('started');
    // A signal is passed on only when all is set up.
    holder.child.kill('SIGHUP');
    await holder.printed('told');
    holder.child.kill('SIGKILL');
    // Standard output closes when the last process that has it is gone: the command, too.
    expect((await holder.ended).code).toBeNull();
    expect((await run(['exec', '--lock', 'a', '--wait', '20s', '--', 'true'])).code).toBe(0);
  });
});

describe('what goes wrong', () => {
  it('bad input gets one sentence and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await run(['exec', '--lock', 'x'.repeat(10_240), '--', 'true']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^kannuki: The lock name .* at most 512 are allowed. Hash long names.\n$/);
    expect(existsSync(join(dir, '.kannuki'))).toBe(false);
  });

  it('a store out of reach has a code of its own in exec, and shows no password', async () => {
    const store = 'postgres://user:hunter2@127.0.0.1:1/db';
    const [ran, listed] = await Promise.all([
      run(['exec', '--lock', 'a', '--store', store, '--', 'echo', 'never']),
      run(['leases', '--store', store, '--verbose']),
    ]);
    expect(ran).toMatchObject({ code: 77, stdout: '', stderr: expect.stringContaining('did not answer') });
    expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(listed.code).toBe(5);
    expect(listed.stderr).toContain('    at ');
    expect(ran.stderr + listed.stderr).not.toContain('hunter2');
  });
});

describe('help and doctor', () => {
  it('help goes to standard output', async () => {
    expect(await run(['exec', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Examples:'),
      stderr: '',
    });
  });

  it('the doctor is content with files, and not with a database that is not there', async () => {
    const [well, ill] = await Promise.all([
      run(['doctor', '--json']),
      run(['doctor', '--store', 'postgres://127.0.0.1:1/db']),
    ]);
    expect(well.code).toBe(0);
    expect(JSON.parse(well.stdout)).toMatchObject({ healthy: true });
    expect(ill.code).toBe(1);
    expect(ill.stdout).toMatch(/^fail {2}store .*did not answer/m);
    expect(ill.stdout).not.toContain('\u001b');
  });
});

describe('serve', () => {
  let data = '';
  let server: Started;
  let url = '';
  let home = '';

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'kannuki-serve-'));
    data = join(home, 'data');
    server = start(['serve', '--port', '0', '--data', data, '--json', '--log-level', 'warn'], {}, home);
    await server.printed('\n');
    // It goes on over several tests.
    running.delete(server.child);
    url = /"url":"([^"]+)"/.exec(server.stdout())?.[1] ?? '';
  });
  afterAll(async () => {
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' });
    rmSync(home, { recursive: true, force: true });
  });

  it('is ready, and takes commands by its local token', async () => {
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/leases`)).status).toBe(401);
    const ran = await run(['exec', '--lock', 'a', '--store', url, '--data', data, '--', 'echo', 'under a lease']);
    expect(ran).toMatchObject({ code: 0, stdout: 'under a lease\n', stderr: '' });
    const [asked, looked, nothing, nobody, stranger] = await Promise.all([
      run(['leases', '--prefix', 'a', '--url', url, '--data', data]),
      run(['leases', '--prefix', 'a', '--store', url, '--data', data]),
      run(['leases', 'break', 'a', '--reason', 'a test', '--url', url, '--data', data]),
      run(['leases', '--store', url]),
      run(['leases', '--url', url], { KANNUKI_API_TOKEN: 'wrong' }),
    ]);
    expect(asked).toMatchObject({ code: 0, stderr: 'no leases are held\n' });
    expect(looked).toMatchObject({ code: 0, stderr: 'no leases are held\n' });
    expect(nothing).toMatchObject({ code: 3, stderr: expect.stringContaining('"a" is not held') });
    expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('KANNUKI_API_TOKEN') });
    expect(stranger).toMatchObject({ code: 5, stderr: expect.stringContaining('known token') });
  });

  it('refuses a port in use, an open host, and a short token', async () => {
    const { port } = new URL(url);
    const [taken, open, short] = await Promise.all([
      run(['serve', '--port', port, '--data', data]),
      run(['serve', '--host', '0.0.0.0', '--data', data]),
      run(['serve', '--data', data], { KANNUKI_API_TOKEN: 'short' }),
    ]);
    expect(taken).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining(`127.0.0.1:${port} is in use by another process`),
    });
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('set KANNUKI_API_TOKEN') });
    expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining('at least 32 printable characters') });
  });

  it('says in one sentence that the password is wrong, or the tables are of a newer version', async () => {
    const { openEmbedded } = await import('../embedded/index.ts');
    const database = await openEmbedded({ dir: data });
    try {
      if (database.url === undefined) return; // PGlite: no password, and nobody else may open it.
      const wrong = new URL(database.url);
      wrong.password = 'hunter2';
      const refused = await run(['serve', '--port', '0'], { DATABASE_URL: wrong.href });
      expect(refused).toMatchObject({
        code: 5,
        stdout: '',
        stderr: expect.stringContaining('password authentication failed'),
      });
      expect(refused.stderr).not.toContain('hunter2');
      expect((await run(['migrate', '--store', database.url])).stderr).toBe(
        'nothing to do, the tables are up to date\n',
      );
      const newer = {
        text: `insert into kannuki.migrations (system, number, name, checksum) values ('leases', 999, 'x', 'x')`,
      };
      await database.query(newer);
      const [migrated, served, looked] = await Promise.all([
        run(['migrate', '--store', database.url]),
        run(['serve', '--port', '0'], { DATABASE_URL: database.url }),
        run(['doctor', '--store', database.url]),
      ]);
      for (const { code, stdout, stderr } of [migrated, served]) {
        expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
        expect(stderr).toMatch(/^kannuki: .*newer version of Kannuki \(leases 999/);
        expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      }
      expect(looked).toMatchObject({ code: 1, stdout: expect.stringMatching(/^fail {2}migrations .*newer version/m) });
      expect((await fetch(`${url}/readyz`)).status).toBe(503);
      await database.query({ text: 'delete from kannuki.migrations where number = 999' });
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    } finally {
      await database.close();
    }
  });
});
