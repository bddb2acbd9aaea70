/**
 * Google's Firestore emulator for one test file: private, on a free port of 127.0.0.1. It never outlives the test: `stop`
 * ends it, an exit of the process ends it, and a guard process ends it when the test process was killed with -9,
 * because its pipe to us closes then.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Firestore } from '@google-cloud/firestore';
import { findFreePort } from './find-free-port.ts';
import { startServerGuard } from './server-guard.ts';

export interface FirestoreServer {
  /** Such as `127.0.0.1:4711`: what FIRESTORE_EMULATOR_HOST would be. */
  readonly host: string;
  readonly projectId: string;
  /** Of the emulator that runs now; another one after `restart`. */
  readonly pid: number;
  /** A client of it. The caller ends it with `terminate`. */
  openClient(): Firestore;
  /** Ends it and removes its files. Doing it twice does nothing. */
  stop(): Promise<void>;
  /** Kills it and starts it again on the same port, with its data (the emulator keeps them in memory) or without. */
  restart(options?: { readonly keepData?: boolean }): Promise<void>;
  /** Kills it; `restart` brings it back. */
  kill(): Promise<void>;
  /** Freezes it: connections stay open, nothing answers. */
  pause(): void;
  resume(): void;
}

const projectId = 'kannuki-test';
const mainClass = 'com.google.cloud.datastore.emulator.firestore.CloudFirestore';
const exportName = 'kept';

/** Throws an error with "is not installed" where there is no emulator or no Java. */
export async function startFirestore(): Promise<FirestoreServer> {
  const jar = findEmulator();
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-firestore-'));
  const guard = startServerGuard({ dir, pidFile: 'server.pid', signal: 'KILL' });
  try {
    const port = await findFreePort();
    let running = await startServer(jar, dir, port);
    let stopped = false;
    const endRunning = async (): Promise<void> => {
      if (running.exitCode !== null || running.signalCode !== null) return;
      const exited = once(running, 'exit');
      running.kill('SIGKILL');
      await exited;
    };
    return {
      host: `127.0.0.1:${port}`,
      projectId,
      get pid() {
        return running.pid ?? 0;
      },
      openClient: () => openFirestoreClient(`127.0.0.1:${port}`),
      async stop() {
        if (stopped) return;
        stopped = true;
        await endRunning();
        await guard.dismiss();
        rmSync(dir, { recursive: true, force: true });
      },
      async restart({ keepData = true } = {}) {
        const kept = keepData ? await exportData(dir, port) : undefined;
        await endRunning();
        running = await startServer(jar, dir, port, kept);
      },
      kill: endRunning,
      pause() {
        running.kill('SIGSTOP');
        untilStopped(running.pid ?? 0);
      },
      resume: () => void running.kill('SIGCONT'),
    };
  } catch (error) {
    guard.end();
    throw error;
  }
}

/** The signal stops one thread after the other: on a busy machine the last of them still answers for a while. */
function untilStopped(pid: number): void {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return;
  const isRunning = (task: string): boolean => !/\) [Tt] /.test(readFileSync(join(tasks, task, 'stat'), 'utf8'));
  for (let looks = 0; looks < 10_000; looks++) if (!readdirSync(tasks).some(isRunning)) return;
  throw new Error('The emulator does not stop.');
}

/** A client of an emulator: its own settings instead of an environment variable, so that two can be used at once. */
export function openFirestoreClient(host: string): Firestore {
  // The library looks for a metadata server of Google's otherwise, in vain and for seconds.
  process.env.METADATA_SERVER_DETECTION = 'none';
  return new Firestore({ projectId, host, ssl: false, customHeaders: { Authorization: 'Bearer owner' } });
}

/** The JAR of the package `google-cloud-cli-firestore-emulator`, or of gcloud's own component. */
function findEmulator(): string {
  const inSdk = join('platform', 'cloud-firestore-emulator', 'cloud-firestore-emulator.jar');
  const places = [
    process.env.KANNUKI_FIRESTORE_EMULATOR,
    join('/usr/lib/google-cloud-sdk', inSdk),
    join(process.env.HOME ?? '/', 'google-cloud-sdk', inSdk),
  ];
  const jar = places.find((place) => place !== undefined && existsSync(place));
  if (jar === undefined) {
    throw new Error(
      "Google's Firestore emulator is not installed (Debian package google-cloud-cli-firestore-emulator of Google's own archive, or KANNUKI_FIRESTORE_EMULATOR=path of its JAR)",
    );
  }
  const paths = (process.env.PATH ?? '').split(delimiter);
  if (!paths.some((path) => existsSync(join(path, 'java')))) {
    throw new Error('Java is not installed; the Firestore emulator needs it (Debian package default-jre-headless)');
  }
  return jar;
}

async function startServer(jar: string, dir: string, port: number, importFrom?: string): Promise<ChildProcess> {
  const log = join(dir, 'log');
  const output = openSync(log, 'w');
  // It lives for a minute: code that is compiled better than quickly costs more than it saves.
  const lightly = ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  const words = ['-Duser.language=en', ...lightly, '-cp', jar, mainClass, '--host=127.0.0.1', `--port=${port}`];
  const server = spawn('java', [...words, ...(importFrom === undefined ? [] : [`--import-data=${importFrom}`])], {
    cwd: dir,
    stdio: ['ignore', output, output],
    env: { ...process.env, METADATA_SERVER_DETECTION: 'none' },
  });
  server.on('error', () => {});
  if (server.pid === undefined) throw new Error('java could not be started');
  writeFileSync(join(dir, 'server.pid'), `${server.pid}`);
  // An exit of ours must end it too; `stop` is not called then.
  const endWithUs = (): void => void server.kill('SIGKILL');
  process.once('exit', endWithUs);
  server.once('exit', () => process.off('exit', endWithUs));
  server.unref();
  for (let tries = 0; tries < 1_500; tries++) {
    if (server.exitCode !== null || server.signalCode !== null) break;
    if (await answers(port)) return server;
    // Nothing tells when a server is ready; asking again is the only way.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  server.kill('SIGKILL');
  throw new Error(`The Firestore emulator did not answer on port ${port}: ${readFileSync(log, 'utf8').slice(-1_000)}`);
}

async function answers(port: number): Promise<boolean> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(2_000) });
    await reply.arrayBuffer();
    return reply.ok;
  } catch {
    return false;
  }
}

/** The file to import from. */
async function exportData(dir: string, port: number): Promise<string> {
  const folder = join(dir, 'export');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const reply = await fetch(`http://127.0.0.1:${port}/emulator/v1/projects/${projectId}:export`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer owner' },
    body: JSON.stringify({
      database: `projects/${projectId}/databases/(default)`,
      export_directory: folder,
      export_name: exportName,
    }),
  });
  if (!reply.ok) throw new Error(`The emulator's data could not be exported: ${await reply.text()}`);
  await reply.arrayBuffer();
  return join(folder, exportName, `${exportName}.overall_export_metadata`);
}
