import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquire, granted, newOwner, release, stillMachine } from '../../../test/stores/still-machine.ts';
import { fileStore } from './file-store.ts';
import { freeName } from './lease-name.ts';

describe('list', () => {
  it('gives the true keys in force, sorted, by prefix and limit', async () => {
    const { a, b, pass } = stillMachine();
    const long = `long/${'x'.repeat(507)}`;
    await granted(a, 'ended', newOwner());
    pass(1_000);
    for (const key of [long, 'b/2', 'a/1', 'B/2']) await granted(a, key, newOwner());
    expect((await b.list({ limit: 10 })).map(({ key }) => key)).toEqual(['B/2', 'a/1', 'b/2', long]);
    expect(await b.list({ prefix: 'long/', limit: 10 })).toMatchObject([{ key: long, remainingMs: 1_000, waiting: 0 }]);
    expect(await b.list({ limit: 2 })).toHaveLength(2);
  });

  it('finds nothing in a store that was never used', async () => {
    const { a } = stillMachine();
    expect(await a.list({ limit: 10 })).toEqual([]);
  });
});

describe('keys', () => {
  it('of any kind are different leases inside the folder', async () => {
    const { a, b, dir } = stillMachine();
    const keys = [
      '../x',
      '.',
      '..',
      '/',
      '.broken',
      '.fences',
      'a',
      'A',
      'a.lease',
      'con',
      '閂',
      '🔒',
      'é',
      'k'.repeat(512),
    ];
    for (const key of keys) await granted(a, key, newOwner());
    for (const key of keys) expect(await acquire(b, key, newOwner())).toMatchObject({ granted: false });
    const names = readdirSync(dir);
    expect(names).toHaveLength(keys.length);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(keys.length);
    expect((await b.list({ limit: 100 })).map(({ key }) => key)).toEqual([...keys].sort());
  });

  it.each(['', 'k'.repeat(10_000), 'a\0b'])('that are none are refused: %j', async (key) => {
    const { a, dir } = stillMachine();
    await expect(acquire(a, key, newOwner())).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('a folder that is not as we left it', () => {
  it.each<[string, (folder: string) => void]>([
    ['no state', (folder) => mkdirSync(folder)],
    ['a file in its place', (folder) => writeFileSync(folder, '')],
    ['an unknown name', (folder) => [mkdirSync(folder), writeFileSync(join(folder, 'notes.txt'), '')]],
    ['a state of a later version', (folder) => [mkdirSync(folder), writeFileSync(join(folder, '1.z.new'), '')]],
    [
      'two states',
      (folder) => [
        mkdirSync(folder),
        writeFileSync(join(folder, freeName(1, 'x')), ''),
        writeFileSync(join(folder, freeName(2, 'y')), ''),
      ],
    ],
  ])('with %s is reported by one sentence, and nothing is deleted', async (_, spoil) => {
    const { a, dir, folderOf } = stillMachine();
    spoil(folderOf('k'));
    const before = readdirSync(dir, { recursive: true });
    const corrupt = { code: 'store-corrupt', message: expect.stringContaining(`"${folderOf('k')}"`) };
    await expect(acquire(a, 'k', newOwner())).rejects.toMatchObject(corrupt);
    await expect(a.list({ limit: 10 })).rejects.toMatchObject(corrupt);
    await expect(a.breakLease({ key: 'k', reason: '', by: '', acceptMs: 0 })).rejects.toMatchObject(corrupt);
    expect(readdirSync(dir, { recursive: true })).toEqual(before);
  });

  it('ends the renewal of its own lease only', async () => {
    const { a, folderOf } = stillMachine();
    const owner = newOwner();
    const requests: { key: string; owner: string; token: number; ttlMs: number }[] = [];
    for (const key of ['a', 'b', 'c']) {
      requests.push({ key, owner, token: (await granted(a, key, owner)).lastToken, ttlMs: 5_000 });
    }
    for (const name of readdirSync(folderOf('b'))) rmSync(join(folderOf('b'), name));
    expect(await a.renew(requests)).toEqual([true, false, true]);
  });

  it('goes on by itself where a sweep was interrupted', async () => {
    const { a, dir, folderOf } = stillMachine();
    mkdirSync(folderOf('k'));
    mkdirSync(join(dir, '.swept'));
    writeFileSync(join(dir, '.swept', 'k~0123'), 'k');
    expect(await a.renew([{ key: 'k', owner: 'x.1@y', token: 1, ttlMs: 1_000 }])).toEqual([false]);
    await granted(a, 'k', newOwner());
  });

  it('that was removed by hand is made anew, with higher tokens', async () => {
    const { a, folderOf, pass } = stillMachine();
    const owner = newOwner();
    const { lastToken } = await granted(a, 'k', owner);
    pass(1);
    rmSync(folderOf('k'), { recursive: true });
    expect(await release(a, 'k', owner, lastToken)).toBe(false);
    expect((await granted(a, 'k', newOwner())).token).toBeGreaterThan(lastToken);
  });
});

describe('the place', () => {
  it('is made with its parents, and explained when it cannot be', async () => {
    const { dir } = stillMachine();
    await granted(fileStore({ dir: join(dir, 'deep', 'er') }), 'k', newOwner());
    writeFileSync(join(dir, 'file'), '');
    const store = fileStore({ dir: join(dir, 'file', 'leases') });
    await expect(acquire(store, 'k', newOwner())).rejects.toMatchObject({ code: 'store-refused', retryable: false });
  });
});
