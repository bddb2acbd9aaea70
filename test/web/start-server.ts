/** The real program on the private database, in a folder of its own, ended by its pid. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface TestServer {
  readonly url: string;
  /** Works once. */
  readonly signInUrl: string;
  /** Calls the API as the local admin. */
  get(path: string): Promise<Response>;
  post(path: string, body: object): Promise<Response>;
  /** Runs the command line against this server; what it printed. */
  run(...args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export async function startServer(
  env: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-web-'));
  const child = spawn(process.execPath, [command, 'serve', '--port', '0', '--data', dir, '--json', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => {
      throw new Error('The server ended before it was ready.');
    }),
  ]);
  const { url, signInUrl } = JSON.parse(String(line)) as { url: string; signInUrl: string };
  const token = readFileSync(join(dir, 'cli-token'), 'utf8').trim();
  return {
    url,
    signInUrl,
    get: (path) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } }),
    post: (path, body) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async run(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, [command, ...args], {
        env: { ...process.env, KANNUKI_URL: url, KANNUKI_API_TOKEN: token, LC_ALL: 'C' },
      });
      return stdout.trim();
    },
    async stop() {
      // A test may have stopped it before.
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
