/**
 * A Redis server for one test file: real, private, on a free port of 127.0.0.1, in a temporary folder. It never
 * outlives the test: `stop` ends it, an exit of the process ends it, and a guard process ends it when the test process
 * was killed with -9, because its pipe to us closes then.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './find-free-port.ts';
import { startServerGuard } from './server-guard.ts';

export interface RedisServerOptions {
  /** Every write is on disk before its answer; else a restart forgets everything. @default false */
  readonly appendonly?: boolean;
  /** A cluster of this one server: it has all slots, and refuses scripts over several. @default false */
  readonly cluster?: boolean;
}

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Of the server that runs now; another one after `restart`. */
  readonly pid: number;
  /** Such as `7.0.15`. */
  readonly version: string;
  /** Ends it and removes its files. Doing it twice does nothing. */
  stop(): Promise<void>;
  /** Kills it, if it runs, and starts it again on the same port and data. */
  restart(): Promise<void>;
  /** Freezes it: connections stay open, nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends every client's connection, whatever it is doing. */
  dropConnections(): Promise<void>;
  /** Removes all keys, as a server without persistence does when it restarts. */
  wipe(): Promise<void>;
}

/** Throws an error with "is not installed" where there is no `redis-server` on the PATH. */
export async function startRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const version = await redisVersion();
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-redis-'));
  const guard = startServerGuard({ dir, pidFile: 'server.pid', signal: 'KILL' });
  try {
    // A cluster node also listens 10,000 higher, so the port must leave room for that.
    const port = await findFreePort(55_000);
    const start = (): Promise<ChildProcess> => startServer(dir, port, options);
    let running = await start();
    let stopped = false;
    const endRunning = async (): Promise<void> => {
      if (running.exitCode !== null || running.signalCode !== null) return;
      const exited = once(running, 'exit');
      running.kill('SIGKILL');
      await exited;
    };
    if (options.cluster) await takeAllSlots(port);
    return {
      url: `redis://127.0.0.1:${port}`,
      port,
      get pid() {
        return running.pid ?? 0;
      },
      version,
      async stop() {
        if (stopped) return;
        stopped = true;
        await endRunning();
        await guard.dismiss();
        rmSync(dir, { recursive: true, force: true });
      },
      async restart() {
        await endRunning();
        running = await start();
        if (options.cluster) await waitForReply(port, 'CLUSTER INFO', /cluster_state:ok/);
      },
      pause: () => void running.kill('SIGSTOP'),
      resume: () => void running.kill('SIGCONT'),
      async dropConnections() {
        for (const type of ['normal', 'pubsub']) await waitForReply(port, `CLIENT KILL TYPE ${type}`, /^:\d+/);
      },
      wipe: () => waitForReply(port, 'FLUSHALL', /^\+OK/),
    };
  } catch (error) {
    guard.end();
    throw error;
  }
}

/** Throws an error with "is not installed" where there is none. */
export async function redisVersion(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('redis-server', ['--version']);
    return /v=([\d.]+)/.exec(stdout)?.[1] ?? stdout.trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new Error('redis-server is not installed; on Debian "apt-get install redis-server" brings it', { cause });
  }
}

async function startServer(dir: string, port: number, options: RedisServerOptions): Promise<ChildProcess> {
  const settings = {
    bind: '127.0.0.1',
    port,
    dir,
    save: '',
    appendonly: options.appendonly ? 'yes' : 'no',
    appendfsync: 'always',
    'cluster-enabled': options.cluster ? 'yes' : 'no',
    'cluster-announce-ip': '127.0.0.1',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  const server = spawn('redis-server', words, { stdio: 'ignore' });
  server.on('error', () => {});
  if (server.pid === undefined) throw new Error('redis-server could not be started');
  writeFileSync(join(dir, 'server.pid'), `${server.pid}`);
  // An exit of ours must end it too; `stop` is not called then.
  const endWithUs = (): void => void server.kill('SIGKILL');
  process.once('exit', endWithUs);
  server.once('exit', () => process.off('exit', endWithUs));
  server.unref();
  await Promise.race([
    waitForReply(port, 'PING', /^\+PONG/),
    once(server, 'exit').then(() => {
      throw new Error(`redis-server ended before it answered on port ${port}`);
    }),
  ]);
  return server;
}

async function takeAllSlots(port: number): Promise<void> {
  await waitForReply(port, 'CLUSTER ADDSLOTSRANGE 0 16383', /^\+OK/);
  await waitForReply(port, 'CLUSTER INFO', /cluster_state:ok/);
}

/** Sends a command until the answer is the one we wait for; a server that is starting refuses or says LOADING. */
async function waitForReply(port: number, command: string, wanted: RegExp): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (wanted.test(await ask(port, command))) return;
    // Nothing tells when a server is ready; asking again is the only way.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`redis-server on port ${port} did not answer ${command} as expected`);
}

/** The first piece of an answer, or nothing when there is no connection. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (text: string): void => {
      socket.destroy();
      resolve(text);
    };
    socket.once('connect', () => socket.write(`${command}\r\n`));
    socket.once('data', (data) => end(String(data)));
    socket.once('error', () => end(''));
    socket.once('close', () => end(''));
  });
}
