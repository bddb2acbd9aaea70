/** One folder, one server: who starts it, who joins it, who stops it, and what happens when somebody is killed. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { type CompiledSource, compileSource } from '../../test/servers/compile-source.ts';
import type { LeaseError } from '../core/errors.ts';
import type { SqlDatabase } from '../core/ports.ts';
import { type EmbeddedDatabase, type EmbeddedOptions, openEmbedded } from './open-embedded.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { isServerRunning, waitForEnd } from './start-server.ts';

let source: CompiledSource;
let userProgram: string;
/** A folder whose server has run and was stopped, to be copied: that is quicker than making a new one. */
let used: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  source = compileSource();
  userProgram = source.writeProgram(
    'user.mjs',
    `import { openEmbedded } from './dist/embedded/index.js';
     const database = await openEmbedded({ dir: process.argv[2] });
     process.on('message', async () => {
       await database.close();
       process.disconnect();
     });
     process.send({ engine: database.engine, serverPid: database.serverPid });`,
  );
  used = join(source.dir, 'used');
  const database = await openEmbedded({ dir: used });
  await database.query({ text: 'create table public.kept (id integer primary key)' });
  await database.close();
});

afterAll(() => source.remove());

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A folder that is gone after the test, and with it whatever server a failed test left running. */
function makeFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-embedded-'));
  cleanups.push(async () => {
    const server = (await isServerRunning(dir)) ? readPostmasterFile(join(dir, 'postgres')) : undefined;
    if (server) process.kill(server.pid, 'SIGQUIT');
    await waitForEnd(dir, platform.clock, 10_000);
    rmSync(dir, { recursive: true, force: true });
  });
  return dir;
}

function copyUsedFolder(): string {
  const dir = makeFolder();
  cpSync(used, dir, { recursive: true });
  return dir;
}

async function open(dir: string, options: EmbeddedOptions = {}): Promise<EmbeddedDatabase> {
  const database = await openEmbedded({ dir, ...options });
  cleanups.push(() => database.close());
  return database;
}

interface User {
  readonly engine: string;
  readonly serverPid: number;
  close(): Promise<void>;
  kill9(): Promise<void>;
}

/** Another process that opens the folder. */
async function startUser(dir: string): Promise<User> {
  const child: ChildProcess = fork(userProgram, [dir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const kill9 = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  cleanups.push(kill9);
  const [told] = (await Promise.race([once(child, 'message'), exited])) as [Pick<User, 'engine' | 'serverPid'>];
  return {
    ...told,
    async close() {
      child.send('close');
      await exited;
    },
    kill9,
  };
}

async function failure(promise: Promise<unknown>): Promise<LeaseError> {
  return (await promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )) as LeaseError;
}

const readRows = async (database: SqlDatabase): Promise<unknown> =>
  (await database.query({ text: 'select id from public.kept order by id' })).rows;

describe('openEmbedded', () => {
  it('makes a server in a new folder, safe and private, and is quick about it', async () => {
    const dir = join(makeFolder(), '.kannuki');
    cleanups.push(() => waitForEnd(dir, platform.clock, 10_000));
    const beganMs = platform.clock.monotonicMs();
    const database = await open(dir);
    console.log(`first start: ${Math.round(platform.clock.monotonicMs() - beganMs)} ms`);

    expect(database).toMatchObject({ dir, engine: 'postgres', major: 18, schema: 'kannuki' });
    const { rows } = await database.query<{ name: string; setting: string }>({
      text: `select name, setting from pg_settings
              where name in ('fsync', 'full_page_writes', 'listen_addresses', 'synchronous_commit', 'data_checksums',
                             'unix_socket_directories', 'password_encryption')`,
    });
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '127.0.0.1',
      password_encryption: 'scram-sha-256',
      synchronous_commit: 'on',
      unix_socket_directories: '',
    });
    const rules = await database.query<{ method: string }>({
      text: 'select distinct auth_method as method from pg_hba_file_rules',
    });
    expect(rules.rows).toEqual([{ method: 'scram-sha-256' }]);
    expect(statSync(join(dir, 'password')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dir, 'postgres')).mode & 0o777).toBe(0o700);
    expect(database.url).toContain(readFileSync(join(dir, 'password'), 'utf8').trim());

    await database.close();
    expect(await isServerRunning(dir)).toBe(false);
    expect(existsSync(join(dir, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  it('is one server for all processes, whoever started it, until the last one leaves', async () => {
    const dir = makeFolder();
    const [first, second] = await Promise.all([startUser(dir), startUser(dir)]);
    expect(first.engine).toBe('postgres');
    expect(second.serverPid).toBe(first.serverPid);
    const third = await open(dir);
    const fourth = await open(dir);
    expect([third.serverPid, fourth.serverPid]).toEqual([first.serverPid, first.serverPid]);

    await first.close();
    await third.query({ text: 'create table public.kept (id integer primary key)' });
    await second.close();
    await third.query({ text: 'insert into public.kept values (1)' });
    await third.close();
    expect(await readRows(fourth)).toEqual([{ id: 1 }]);
    await Promise.all([fourth.close(), fourth.close()]);
    expect(await isServerRunning(dir)).toBe(false);

    const again = await open(dir);
    expect(await readRows(again)).toEqual([{ id: 1 }]);
  });

  it('survives kill -9 of its starter: the next one joins it, and stops it', async () => {
    const dir = copyUsedFolder();
    const starter = await startUser(dir);
    await starter.kill9();
    expect(await isServerRunning(dir)).toBe(true);
    const next = await open(dir);
    expect(next.serverPid).toBe(starter.serverPid);
    await next.close();
    expect(await isServerRunning(dir)).toBe(false);
  });

  it('recovers from kill -9 with its data and on its port', async () => {
    const dir = copyUsedFolder();
    const user = await startUser(dir);
    const database = await open(dir);
    await database.query({ text: 'insert into public.kept values (1), (2)' });
    await user.kill9();
    const beganMs = platform.clock.monotonicMs();
    process.kill(user.serverPid, 'SIGKILL');
    // Ours is still open: opening again finds the server dead and starts it, on the same port.
    const again = await open(dir);
    console.log(`recovered after: ${Math.round(platform.clock.monotonicMs() - beganMs)} ms`);
    expect(again.serverPid).not.toBe(user.serverPid);
    expect(again.url).toBe(database.url);
    expect(await readRows(again)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await readRows(database)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('is started again by those who use it when it was killed', async () => {
    const dir = copyUsedFolder();
    let tell: (message: string) => void = () => {};
    const told = new Promise<string>((done) => {
      tell = done;
    });
    const ignore = (): void => {};
    const database = await open(dir, { logger: { debug: ignore, info: tell, warn: ignore, error: tell } });
    const killed = database.serverPid as number;
    process.kill(killed, 'SIGKILL');
    expect(await told).toBe('the private PostgreSQL server runs again');
    expect(database.serverPid).not.toBe(killed);
    expect((await database.query({ text: 'select 1 as one' })).rows).toEqual([{ one: 1 }]);
  });

  it('starts although the pid that a killed server left belongs to somebody else now', async () => {
    const dir = copyUsedFolder();
    const user = await startUser(dir);
    await user.kill9();
    process.kill(user.serverPid, 'SIGKILL');
    await waitForEnd(dir, platform.clock, 10_000);
    const file = join(dir, 'postgres', 'postmaster.pid');
    // The parent of this process: alive, and not a server.
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, `${process.ppid}`));
    const database = await open(dir);
    await database.query({ text: 'select 1' });
  });

  it('shows the end of the log when the server does not start', async () => {
    const dir = copyUsedFolder();
    writeFileSync(join(dir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n');
    const error = await failure(openEmbedded({ dir }));
    expect(error.code).toBe('store-unavailable');
    expect(error.message).toMatch(/did not start.*no_such_setting/s);
    expect(existsSync(join(dir, 'postgres', 'PG_VERSION'))).toBe(true);
  });

  it('refuses data of another PostgreSQL and says how to move it', async () => {
    const dir = makeFolder();
    mkdirSync(join(dir, 'postgres'));
    writeFileSync(join(dir, 'postgres', 'PG_VERSION'), '12\n');
    const error = await failure(openEmbedded({ dir }));
    expect(error.code).toBe('store-refused');
    expect(error.message).toMatch(/made with PostgreSQL 12, and here is only 18.*kannuki backup.*kannuki restore/);
  });

  it('uses PGlite where no server can be made, says why, and stays with it', async () => {
    const dir = makeFolder();
    // Stands where the password has to be written, whoever runs the test.
    mkdirSync(join(dir, 'password'));
    expect((await failure(openEmbedded({ dir, engine: 'postgres' }))).code).toBe('store-unavailable');

    const database = await open(dir);
    expect(database).toMatchObject({ engine: 'pglite', major: 18, capabilities: { concurrent: false, fsync: false } });
    expect(database.fallbackReason).toContain('data folder could not be made');
    expect(database.url).toBeUndefined();
    await database.query({ text: 'create table public.kept (id integer primary key)' });
    expect((await failure(openEmbedded({ dir }))).code).toBe('in-use');
    await database.close();

    rmSync(join(dir, 'password'), { recursive: true });
    expect(JSON.parse(readFileSync(join(dir, 'engine.json'), 'utf8'))).toEqual({ engine: 'pglite', major: 18 });
    const refused = await failure(openEmbedded({ dir, engine: 'postgres' }));
    expect(refused.code).toBe('store-refused');
    expect(refused.message).toMatch(/made with pglite and cannot be opened with postgres.*kannuki backup/);
    const again = await open(dir);
    expect(again.engine).toBe('pglite');
    expect(await readRows(again)).toEqual([]);
  });

  it.runIf(process.getuid?.() === 0)('runs for root below a folder that only root can enter', async () => {
    const closed = makeFolder();
    chmodSync(closed, 0o700);
    const dir = join(closed, 'deep', 'data');
    cleanups.push(() => waitForEnd(dir, platform.clock, 10_000));
    const database = await open(dir, { engine: 'postgres' });
    expect(database.engine).toBe('postgres');
    expect(statSync(join(dir, 'postgres')).uid).toBe(0);
  });
});
