/**
 * What users get: the packed tarball, installed in an empty folder, with every subpath imported and the server
 * started by the command the README names.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../servers/find-free-port.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, string> };
const modules = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json');

const installMs = 240_000;
const readyMs = 60_000;
const stopMs = 30_000;

let folder = '';
let user = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kannuki-package-'));
  user = join(folder, 'user');
  mkdirSync(user);
  await run('npm', ['pack', '--pack-destination', folder], { cwd: root });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? 'missing.tgz';
  writeFileSync(join(user, 'package.json'), '{ "private": true, "type": "module" }\n');
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...quiet, join('..', tarball)], { cwd: user });
}, installMs);

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Not for Node: a worker's script, and what needs a peer that nobody installed here. */
const elsewhere = ['./project-lock/worker', './react'];

describe('the installed package', () => {
  it.each(elsewhere)('has the file of %s', async (subpath) => {
    const script = `console.log(import.meta.resolve(${JSON.stringify(join('kannuki', subpath))}))`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: user });
    expect(readFileSync(fileURLToPath(stdout.trim()), 'utf8')).not.toBe('');
  });

  it.each(modules.filter((subpath) => !elsewhere.includes(subpath)))('imports %s', async (subpath) => {
    const name = join('kannuki', subpath);
    const script = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(name)}))))`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: user });
    expect(JSON.parse(stdout)).not.toEqual([]);
  });

  it('names its own version', async () => {
    const script = "console.log(import.meta.resolve('kannuki/package.json'))";
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: user });
    const installed = JSON.parse(readFileSync(fileURLToPath(stdout.trim()), 'utf8')) as unknown;
    expect(installed).toMatchObject({ name: 'kannuki', exports: manifest.exports });
  });

  it('ships no tests and no sources', () => {
    const names = readdirSync(join(user, 'node_modules/kannuki'), { recursive: true }).map(String);
    const expected = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
    expect(expected.filter((name) => !names.includes(name))).toEqual([]);
    expect(names.filter((name) => /\.test\.|(?<!\.d)\.ts$/.test(name))).toEqual([]);
  });

  it(
    'serves: npx kannuki serve answers /readyz, stops on SIGTERM with code 0 and leaves nothing running',
    async () => {
      const data = join(folder, 'data');
      const port = await findFreePort();
      const server = spawn('npx', ['kannuki', 'serve', '--port', String(port), '--data', data], {
        cwd: user,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [server.stdout, server.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      }
      try {
        await expect.poll(() => statusOf(server, port, () => output), { timeout: readyMs, interval: 200 }).toBe(200);
        // npx keeps signals from what it runs, so stop the server itself; npx passes its exit code on.
        process.kill(serverProcess(data), 'SIGTERM');
        await expect.poll(() => server.exitCode ?? output, { timeout: stopMs }).toBe(0);
        await expect.poll(() => processesNaming(data), { timeout: stopMs }).toEqual([]);
        tellTookPart('the packed package, installed, with its private database');
      } finally {
        endGroup(server);
      }
    },
    readyMs + 2 * stopMs,
  );
});

/** One line for the table of real components at the end of the run. */
function tellTookPart(component: string): void {
  const { KANNUKI_TEST_REPORT: file } = process.env;
  if (file) appendFileSync(file, `${JSON.stringify({ component, status: 'took part' })}\n`);
}

/** The status of /readyz, or undefined while nobody listens. A server that ended by itself will never answer. */
async function statusOf(server: ChildProcess, port: number, output: () => string): Promise<number | undefined> {
  if (server.exitCode !== null) throw new Error(`The server ended with code ${server.exitCode}: ${output()}`);
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
  } catch {
    return undefined;
  }
}

/** Live processes whose command line names the data folder: the server itself and its private PostgreSQL. */
function processesNaming(text: string): readonly string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return command.includes(text) ? [`${pid} ${command}`] : [];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
}

/** The one Node process among them that runs our command. */
function serverProcess(data: string): number {
  const commands = processesNaming(data).filter((line) => /^\d+ \S*node\S* \S*kannuki\S* serve /.test(line));
  expect(commands).toHaveLength(1);
  return Number.parseInt(commands[0] ?? '', 10);
}

/** Whatever a failed test left in the server's process group. */
function endGroup(server: ChildProcess): void {
  try {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
  } catch {
    // Nothing is left of it, as it should be.
  }
}
