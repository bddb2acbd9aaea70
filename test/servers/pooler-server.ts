/** PgBouncer in transaction mode in front of a PostgreSQL of the tests: few server connections for many clients. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from '#platform';
import { freePort } from '../../src/embedded/free-port.ts';

export interface PoolerServer {
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** The version of the installed PgBouncer, if there is one. */
export function poolerVersion(): string | undefined {
  return /PgBouncer (\S+)/.exec(spawnSync('pgbouncer', ['--version']).stdout?.toString() ?? '')?.[1];
}

export async function startPooler(serverUrl: string, serverConnections: number): Promise<PoolerServer> {
  const { hostname, port, username, password, pathname } = new URL(serverUrl);
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-pooler-'));
  const listenPort = await freePort(platform.random);
  const users = join(dir, 'users.txt');
  const settings = join(dir, 'pooler.ini');
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  writeFileSync(
    settings,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 200
`,
  );
  // It refuses to run as root; then it becomes somebody who must be able to read its files.
  chmodSync(dir, 0o755);
  const asRoot = process.getuid?.() === 0;
  const child = spawn('pgbouncer', [...(asRoot ? ['-u', 'nobody'] : []), '-q', settings], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  for (let i = 0; i < 200 && !(await answers(listenPort)); i++) {
    // Real time: nothing tells when it listens.
    await new Promise<void>((resolve) => void platform.clock.after(25, resolve));
  }
  const url = new URL(serverUrl);
  url.port = String(listenPort);
  return {
    url: url.href,
    version: poolerVersion() ?? 'unknown',
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
