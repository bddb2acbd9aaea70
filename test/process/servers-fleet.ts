/** The real program on one PostgreSQL: servers and workers, ended by their pid. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compileSource } from '../servers/compile-source.ts';

export interface FleetServer {
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
  /** Stops it as an operator would; its exit code. */
  stop(): Promise<number | null>;
  memoryMb(): number;
}

export interface ServersFleet extends AsyncDisposable {
  readonly token: string;
  startServer(): Promise<FleetServer>;
  startWorker(): Promise<void>;
}

export function createServersFleet(databaseUrl: string): ServersFleet {
  const source = compileSource();
  const main = join(source.dir, 'dist/cli/main.js');
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-servers-'));
  const children = new Set<ChildProcess>();
  const token = 'k'.repeat(48);
  let folders = 0;

  const start = (args: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [main, ...args, '--data', join(dir, `${++folders}`)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, DATABASE_URL: databaseUrl, KANNUKI_API_TOKEN: token, KANNUKI_ALLOW_COMMANDS: '1' },
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
  const firstLine = async (child: ChildProcess): Promise<string> => {
    if (!child.stdout) throw new Error('no output');
    const early = once(child, 'exit').then(([code]) => {
      throw new Error(`A process ended before it was ready (${code}).`);
    });
    early.catch(() => undefined);
    const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), early]);
    return String(line);
  };
  const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    return child.exitCode;
  };
  return {
    token,
    async startServer() {
      const child = start(['serve', '--port', '0', '--json', '--log-level', 'error']);
      const { url } = JSON.parse(await firstLine(child)) as { url: string };
      return {
        url,
        pid: child.pid ?? 0,
        async kill() {
          await end(child, 'SIGKILL');
        },
        stop: () => end(child, 'SIGTERM'),
        memoryMb: () =>
          Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024,
      };
    },
    async startWorker() {
      await firstLine(start(['worker', '--json', '--log-level', 'error']));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...children].map((child) => end(child, 'SIGKILL')));
      rmSync(dir, { recursive: true, force: true });
      source.remove();
    },
  };
}
