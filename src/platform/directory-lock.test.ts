import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { LeaseError } from '../core/errors.ts';
import { lockDirectory } from './directory-lock.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function makeFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-lock-'));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function failure(promise: Promise<unknown>): Promise<LeaseError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(LeaseError);
  return error as LeaseError;
}

/** Another process that holds the lock until it is killed. It uses the same kernel call, without our code. */
async function holdElsewhere(path: string, shared: boolean): Promise<{ readonly pid: number; kill9(): Promise<void> }> {
  const script = `
    const fs = require('node:fs');
    const { tryLock } = require('fs-native-extensions');
    const fd = fs.openSync(${JSON.stringify(path)}, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    if (!tryLock(fd, 0, 0, { shared: ${shared} })) process.exit(1);
    fs.writeSync(fd, process.pid + ' ' + require('node:os').hostname() + '\\n', 0);
    process.stdout.write('held');
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const kill9 = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  cleanups.push(kill9);
  await once(child.stdout, 'data');
  return { pid: child.pid as number, kill9 };
}

describe('lockDirectory', () => {
  it('refuses a second process at once, names it, and is free when that one is killed with -9', async () => {
    const dir = makeFolder();
    const holder = await holdElsewhere(join(dir, 'lock'), false);

    const error = await failure(lockDirectory(dir, { what: 'The folder' }));
    expect(error.code).toBe('in-use');
    expect(error.message).toBe(
      `The folder ${dir} is in use by process ${holder.pid}; stop that process, or use another folder.`,
    );

    await holder.kill9();
    const lock = await lockDirectory(dir);
    expect(readFileSync(join(dir, 'lock'), 'utf8')).toMatch(new RegExp(`^${process.pid} `));
    await lock.release();
  });

  it('excludes within one process too, until it is released', async () => {
    const dir = join(makeFolder(), 'made', 'by-it');
    const first = await lockDirectory(dir);
    const error = await failure(lockDirectory(dir));
    expect(error.code).toBe('in-use');
    expect(error.message).toContain(`already open in this process (pid ${process.pid})`);
    await first.release();
    await first.release();
    const second = await lockDirectory(dir);
    expect((await failure(lockDirectory(dir))).code).toBe('in-use');
    await second.release();
  });

  it('lets many hold it shared, and names them to one that wants it alone', async () => {
    const dir = makeFolder();
    const other = await holdElsewhere(join(dir, 'users'), true);
    const ours = await lockDirectory(dir, { name: 'users', shared: true });

    await ours.release();
    const error = await failure(lockDirectory(dir, { name: 'users' }));
    expect(error.code).toBe('in-use');
    expect(error.message).toContain(`process ${other.pid}`);

    await other.kill9();
    const alone = await lockDirectory(dir, { name: 'users' });
    expect((await failure(lockDirectory(dir, { name: 'users', shared: true }))).code).toBe('in-use');
    await alone.release();
  });

  it('keeps separate names apart', async () => {
    const dir = makeFolder();
    const one = await lockDirectory(dir, { name: 'one' });
    const two = await lockDirectory(dir, { name: 'two' });
    await one.release();
    await two.release();
  });

  it('waits when told to, and takes the lock once it is free', async () => {
    const dir = makeFolder();
    const holder = await holdElsewhere(join(dir, 'lock'), false);
    const waiting = lockDirectory(dir, { waitMs: 30_000 });
    await holder.kill9();
    await (await waiting).release();
  });

  it('does not exclude through a folder that was moved away', async () => {
    const dir = makeFolder();
    const place = join(dir, 'place');
    const old = await lockDirectory(place);
    renameSync(place, join(dir, 'moved'));
    const fresh = await lockDirectory(place);
    expect((await failure(lockDirectory(place))).code).toBe('in-use');
    expect((await failure(lockDirectory(join(dir, 'moved')))).code).toBe('in-use');
    await fresh.release();
    await old.release();
  });

  it('says so when the folder cannot be made', async () => {
    const error = await failure(lockDirectory('/dev/null/kannuki'));
    expect(error.code).toBe('store-refused');
    expect(error.message).toContain('/dev/null/kannuki cannot be written');
  });
});
