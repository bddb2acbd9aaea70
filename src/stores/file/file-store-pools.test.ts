import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquire, granted, newOwner, release, stillMachine } from '../../../test/stores/still-machine.ts';
import { sharedCapacity } from '../../core/limits.ts';
import type { Share } from '../../core/ports.ts';
import { parseLeaseName } from './lease-name.ts';

describe('shared and counted leases', () => {
  const one = (capacity: number): Share => ({ weight: 1, capacity });

  it('admit as much as the capacity, exclude exclusive holders, and leave no record behind', async () => {
    const { a, b, dir, stateOf } = stillMachine();
    const owners = [newOwner(), newOwner(), newOwner()];
    const tokens: number[] = [];
    for (const owner of owners) tokens.push((await granted(b, 'pool', owner, one(3))).lastToken);
    expect([...tokens].sort((x, y) => x - y)).toEqual(tokens);
    expect(new Set(tokens).size).toBe(3);
    expect(await acquire(a, 'pool', newOwner(), one(3))).toMatchObject({ granted: false, holder: owners[0] });
    expect(await acquire(a, 'pool', newOwner(), one(4))).toMatchObject({ granted: false });
    expect(await acquire(a, 'pool', newOwner())).toMatchObject({ granted: false });
    expect(await a.list({ limit: 10 })).toHaveLength(3);
    for (const [i, owner] of owners.entries()) {
      expect(readdirSync(join(dir, '.pools', 'pool'))).toHaveLength(1);
      expect(await release(i % 2 ? a : b, 'pool', owner, tokens[i] ?? 0)).toBe(true);
    }
    expect(readdirSync(join(dir, '.pools', 'pool'))).toEqual([]);
    expect(parseLeaseName(stateOf('pool'))).toMatchObject({ kind: 'free', token: tokens[2] });
    expect((await granted(a, 'pool', newOwner())).token).toBeGreaterThan(tokens[2] ?? 0);
    expect(await acquire(b, 'pool', newOwner(), one(3))).toMatchObject({ granted: false });
  });

  it('count by weight, and let many readers in but no writer', async () => {
    const { a, b } = stillMachine();
    await granted(a, 'w', newOwner(), { weight: 2, capacity: 3 });
    expect(await acquire(b, 'w', newOwner(), { weight: 2, capacity: 3 })).toMatchObject({ granted: false });
    await granted(b, 'w', newOwner(), one(3));
    for (let i = 0; i < 40; i++) await granted(i % 2 ? a : b, 'doc', newOwner(), one(sharedCapacity));
    expect(await acquire(a, 'doc', newOwner())).toMatchObject({ granted: false });
  });

  it('end one by one, are renewed one by one, and are the same grant when asked again', async () => {
    const { a, b, pass } = stillMachine();
    const [first, second] = [newOwner(), newOwner()];
    const { lastToken } = await granted(a, 'pool', first, one(2));
    pass(500);
    const again = await granted(b, 'pool', second, one(2));
    expect(await acquire(b, 'pool', second, one(2))).toEqual({ ...again, token: again.lastToken });
    pass(499);
    const share = one(2);
    const requests = [
      { key: 'pool', owner: first, token: lastToken, ttlMs: 1_000, share },
      { key: 'pool', owner: first, token: again.lastToken, ttlMs: 1_000, share },
    ];
    expect(await a.renew(requests)).toEqual([true, false]);
    pass(501);
    expect((await a.list({ limit: 10 })).map(({ owner, remainingMs }) => [owner, remainingMs])).toEqual([[first, 499]]);
    await granted(b, 'pool', newOwner(), one(2));
  });

  it('never exceed the capacity when fifty come at once', async () => {
    const { open, a } = stillMachine();
    const replies = await Promise.all(Array.from({ length: 50 }, () => acquire(open(), 'pool', newOwner(), one(7))));
    expect(replies.filter((reply) => reply.granted)).toHaveLength(7);
    expect(await a.list({ limit: 100 })).toHaveLength(7);
  });

  it('leave the term of another holder as its own process wrote it', async () => {
    const { a, b, dir, pass } = stillMachine();
    const recordPath = (): string => join(dir, '.pools', 'pool', readdirSync(join(dir, '.pools', 'pool'))[0] ?? '');
    const termsIn = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as object[];
    await granted(a, 'pool', newOwner(), one(2));
    const [term] = termsIn(recordPath());
    const marked = { ...term, process: '1-1-1' };
    writeFileSync(recordPath(), JSON.stringify([marked]));
    pass(100);
    await granted(b, 'pool', newOwner(), one(2));
    expect(termsIn(recordPath())).toEqual([marked, expect.anything()]);
  });

  it('forget the holders of another boot', async () => {
    const { a, open, machine } = stillMachine();
    await granted(a, 'pool', newOwner(), one(1));
    machine.bootId = 'bbbbbbbb';
    await granted(open(), 'pool', newOwner(), one(1));
  });

  it('refuse shares that make no sense', async () => {
    const { a } = stillMachine();
    await expect(acquire(a, 'pool', newOwner(), { weight: 3, capacity: 2 })).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('report a record that is gone or cannot be read', async () => {
    const { a, b, dir } = stillMachine();
    await granted(a, 'pool', newOwner(), one(2));
    const [record = ''] = readdirSync(join(dir, '.pools', 'pool'));
    const path = join(dir, '.pools', 'pool', record);
    writeFileSync(path, '[{"owner":1}]');
    await expect(acquire(b, 'pool', newOwner(), one(2))).rejects.toMatchObject({
      code: 'store-corrupt',
      message: expect.stringContaining(`"${record}", which cannot be read`),
    });
    rmSync(path);
    await expect(acquire(b, 'pool', newOwner(), one(2))).rejects.toMatchObject({ code: 'store-corrupt' });
  });
});
