import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { LeaseStore } from '../../core/ports.ts';
import { fileStore } from './file-store.ts';
import { sweepFileStore } from './sweep-file-store.ts';

const day = 86_400_000;
const dirs: string[] = [];

/** Files carry the real time, so the clocks of the store are real, and those of the sweep run ahead. */
function setup() {
  const dir = mkdtempSync(join(tmpdir(), 'sweep-file-store-'));
  dirs.push(dir);
  const store = fileStore({ dir });
  const sweep = (aheadMs: number) => {
    const clock = { after: platform.clock.after, wallMs: () => platform.clock.wallMs() + aheadMs };
    return sweepFileStore({ dir, clock });
  };
  return { dir, store, sweep };
}

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

async function use(store: LeaseStore, key: string, ttlMs = 60_000): Promise<number> {
  const owner = `u.${key}@x`;
  const reply = await store.acquire({ key, owner, ttlMs, line: false });
  if (!reply.granted) throw new Error(`refused: ${key}`);
  await store.release({ key, owner, token: reply.lastToken, acceptMs: 0 });
  return reply.lastToken;
}

describe('sweepFileStore', () => {
  it('removes what was idle for a day, and nothing that is younger or held', async () => {
    const { dir, store, sweep } = setup();
    const before = await use(store, 'idle');
    await store.acquire({ key: 'held', owner: 'a.1@x', ttlMs: day, line: false });
    await store.acquire({ key: 'pool', owner: 'a.2@x', ttlMs: day, line: false, share: { weight: 1, capacity: 2 } });
    expect(await sweep(day - 60_000)).toEqual({ leases: 0, leftovers: 0 });
    expect(await sweep(day + 60_000)).toEqual({ leases: 1, leftovers: 0 });
    expect(readdirSync(dir).sort()).toEqual(['.pools', '.swept', 'held.lease', 'pool.lease']);
    expect(readdirSync(join(dir, '.swept'))).toEqual([]);
    expect(await store.list({ limit: 10 })).toHaveLength(2);
    // The store remembers the state it left; the folder is gone all the same.
    expect(await use(store, 'idle')).toBeGreaterThan(before);
  });

  it('removes leases whose holder ended long ago without a word, with their records', async () => {
    const { dir, store, sweep } = setup();
    await store.acquire({ key: 'k', owner: 'a.1@x', ttlMs: 1, line: false });
    await store.acquire({ key: 'p', owner: 'a.2@x', ttlMs: 1, line: false, share: { weight: 1, capacity: 2 } });
    // The TTL of 1 ms is the store's own clock: it has to pass.
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await sweep(day + 60_000)).toEqual({ leases: 2, leftovers: 1 });
    expect(readdirSync(dir, { recursive: true }).sort()).toEqual(['.pools', '.swept']);
  });

  it('leaves a lease alone whose tokens run ahead of the clock', async () => {
    const { dir, sweep } = setup();
    mkdirSync(join(dir, 'k.lease'));
    writeFileSync(join(dir, 'k.lease', `${(platform.clock.wallMs() + 30 * day) * 1000}.f.x`), 'k');
    expect(await sweep(10 * day)).toEqual({ leases: 0, leftovers: 0 });
  });

  it('removes what crashes left: prepared folders, half-swept leases, orphaned records, old reasons', async () => {
    const { dir, store, sweep } = setup();
    mkdirSync(join(dir, '.new-0123'));
    writeFileSync(join(dir, '.new-0123', '0.f.new-1'), 'k');
    mkdirSync(join(dir, '.gone-4567'));
    await use(store, 'half');
    mkdirSync(join(dir, '.swept'));
    for (const name of readdirSync(join(dir, 'half.lease'))) {
      renameSync(join(dir, 'half.lease', name), join(dir, '.swept', 'half~89ab'));
    }
    const share = { weight: 1, capacity: 2 };
    await store.acquire({ key: 'pool', owner: 'a.1@x', ttlMs: day, line: false, share });
    writeFileSync(join(dir, '.pools', 'pool', 'feedfeedfeedfeed-01'), '[]');
    await store.acquire({ key: 'broken', owner: 'a.1@x', ttlMs: day, line: false });
    await store.breakLease({ key: 'broken', reason: 'r', by: 'b', acceptMs: 0 });
    // An orphan is known by its base, not by its age.
    expect(await sweep(0)).toEqual({ leases: 0, leftovers: 1 });
    expect(await sweep(day + 60_000)).toEqual({ leases: 1, leftovers: 4 });
    expect(readdirSync(dir).sort()).toEqual(['.broken', '.pools', '.swept', 'pool.lease']);
    expect(await store.list({ limit: 10 })).toHaveLength(1);
  });

  it('keeps the record of a writer that is under way', async () => {
    const { dir, store, sweep } = setup();
    const share = { weight: 1, capacity: 2 };
    await store.acquire({ key: 'pool', owner: 'a.1@x', ttlMs: day, line: false, share });
    const [record = ''] = readdirSync(join(dir, '.pools', 'pool'));
    const [state = ''] = readdirSync(join(dir, 'pool.lease'));
    const { isRecordBasedOn, writePoolRecord } = await import('./pool-record.ts');
    const draft = writePoolRecord(join(dir, '.pools', 'pool'), state, [], platform.random);
    expect(isRecordBasedOn(draft, state)).toBe(true);
    await sweep(day + 60_000);
    expect(readdirSync(join(dir, '.pools', 'pool')).sort()).toEqual([record, draft].sort());
  });

  it('passes by a folder that a person must look at', async () => {
    const { dir, store, sweep } = setup();
    mkdirSync(join(dir, 'bad.lease'));
    writeFileSync(join(dir, 'bad.lease', 'garbage'), '');
    await use(store, 'idle');
    expect(await sweep(day + 60_000)).toEqual({ leases: 1, leftovers: 0 });
    expect(readdirSync(join(dir, 'bad.lease'))).toEqual(['garbage']);
  });

  it('has nothing to do where there is no store', async () => {
    const { dir } = setup();
    expect(await sweepFileStore({ dir: join(dir, 'none') })).toEqual({ leases: 0, leftovers: 0 });
  });

  it.each([0, 59_999, Number.NaN])('refuses an age of %s ms', async (olderThanMs) => {
    const { dir } = setup();
    await expect(sweepFileStore({ dir, olderThanMs })).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});
