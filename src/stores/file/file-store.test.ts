import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquire, granted, newOwner, release, stillMachine } from '../../../test/stores/still-machine.ts';
import { limits } from '../../core/limits.ts';
import type { LeaseStore } from '../../core/ports.ts';
import { parseLeaseName } from './lease-name.ts';

describe('an exclusive lease', () => {
  it('is one file whose name tells owner, token and end', async () => {
    const { a, machine, stateOf, folderOf } = stillMachine();
    const owner = newOwner();
    const { token, lastToken } = await granted(a, 'Job/1', owner);
    expect(lastToken - token).toBe(limits.tokenBlock - 1);
    expect(token).toBe(machine.wallMs * 1000);
    expect(parseLeaseName(stateOf('Job/1'))).toMatchObject({
      kind: 'held',
      term: { owner, token: lastToken, endUs: machine.bootUs + 1_000_000, ttlMs: 1_000, boot: 'aaaaaaaa' },
    });
    expect(readFileSync(join(folderOf('Job/1'), stateOf('Job/1')), 'utf8')).toBe('Job/1');
  });

  it('is refused while held, also to the holder’s own process, and tells by whom and how long', async () => {
    const { a, b, pass } = stillMachine();
    const { lastToken } = await granted(a, 'k', 'first.1@x');
    pass(400);
    const refusal = { granted: false, token: lastToken, holder: 'first.1@x', remainingMs: 600, inLine: false };
    expect(await acquire(b, 'k', newOwner())).toEqual(refusal);
    expect(await acquire(a, 'k', newOwner())).toEqual(refusal);
  });

  it('is taken over at its end, not before, with a higher token', async () => {
    const { a, b, pass } = stillMachine();
    const first = await granted(a, 'k', newOwner());
    pass(999);
    expect(await acquire(b, 'k', newOwner())).toMatchObject({ granted: false, remainingMs: 1 });
    pass(1);
    expect((await granted(b, 'k', newOwner())).token).toBeGreaterThan(first.lastToken);
  });

  it('is the same grant when its id asks again, extended and with no second number', async () => {
    const { a, b, pass, stateOf } = stillMachine();
    const owner = newOwner();
    const { lastToken } = await granted(a, 'k', owner);
    pass(600);
    expect(await acquire(a, 'k', owner)).toEqual({ granted: true, token: lastToken, lastToken });
    const name = stateOf('k');
    expect(await acquire(a, 'k', owner)).toEqual({ granted: true, token: lastToken, lastToken });
    expect(stateOf('k')).toBe(name);
    pass(600);
    expect(await acquire(b, 'k', newOwner())).toMatchObject({ granted: false, remainingMs: 400 });
  });

  it('is renewed by its owner and token only, never shortened, never revived', async () => {
    const { a, b, pass } = stillMachine();
    const owner = newOwner();
    const { token, lastToken } = await granted(a, 'k', owner);
    const renew = (store: LeaseStore, request: { owner?: string; token?: number; ttlMs?: number }) =>
      store.renew([{ key: 'k', owner, token: lastToken, ttlMs: 1_000, ...request }]);
    expect(await renew(a, { owner: newOwner() })).toEqual([false]);
    expect(await renew(a, { token })).toEqual([false]);
    expect(await renew(a, { ttlMs: 100 })).toEqual([true]);
    pass(900);
    expect(await renew(b, {})).toEqual([true]);
    pass(900);
    expect(await acquire(b, 'k', newOwner())).toMatchObject({ granted: false, remainingMs: 100 });
    pass(100);
    expect(await renew(a, {})).toEqual([false]);
    expect(await renew(b, {})).toEqual([false]);
  });

  it('is not renewed from memory when somebody broke it', async () => {
    const { a, b } = stillMachine();
    const owner = newOwner();
    const { lastToken } = await granted(a, 'k', owner);
    await b.breakLease({ key: 'k', reason: 'test', by: 'me', acceptMs: 100 });
    const request = { key: 'k', owner, token: lastToken };
    expect(await a.renew([{ ...request, ttlMs: 1 }])).toEqual([false]);
    expect(await a.renew([{ ...request, ttlMs: 5_000 }])).toEqual([false]);
    expect(await release(a, 'k', owner, lastToken)).toBe(false);
  });

  it('is released by its owner only, and once', async () => {
    const { a, b, stateOf } = stillMachine();
    const owner = newOwner();
    const { lastToken } = await granted(a, 'k', owner);
    expect(await release(b, 'k', newOwner(), lastToken)).toBe(false);
    expect(await release(b, 'k', owner, lastToken - 1)).toBe(false);
    expect(await release(b, 'k', owner, lastToken)).toBe(true);
    expect(await release(a, 'k', owner, lastToken)).toBe(false);
    expect(parseLeaseName(stateOf('k'))).toMatchObject({ kind: 'free', token: lastToken });
    expect((await granted(a, 'k', newOwner())).token).toBeGreaterThan(lastToken);
  });

  it('is released without a token when the reply never came', async () => {
    const { a } = stillMachine();
    const owner = newOwner();
    expect(await release(a, 'k', owner, null)).toBe(false);
    await granted(a, 'k', owner);
    expect(await release(a, 'k', owner, null)).toBe(true);
  });

  it('gives rising tokens while the wall clock stands still or goes back', async () => {
    const { a, b, machine } = stillMachine();
    let last = 0;
    for (let i = 0; i < 20; i++) {
      const store = i % 2 ? a : b;
      const owner = newOwner();
      const { token, lastToken } = await granted(store, 'k', owner);
      expect(token).toBeGreaterThan(last);
      last = lastToken;
      await release(store, 'k', owner, lastToken);
      if (i === 10) machine.wallMs -= 3_600_000;
    }
  });

  it('does not end sooner or later when the wall clock is set', async () => {
    const { a, b, machine, pass } = stillMachine();
    await granted(a, 'k', newOwner());
    machine.wallMs += 3_600_000;
    expect(await acquire(b, 'k', newOwner())).toMatchObject({ granted: false, remainingMs: 1_000 });
    machine.wallMs -= 7_200_000;
    pass(1_000);
    await granted(b, 'k', newOwner());
  });

  it('has one winner of fifty at once', async () => {
    const { open, b } = stillMachine();
    const replies = await Promise.all(Array.from({ length: 50 }, () => acquire(open(), 'k', newOwner())));
    expect(replies.filter((reply) => reply.granted)).toHaveLength(1);
    expect(await b.list({ limit: 10 })).toHaveLength(1);
  });
});

describe('several at once', () => {
  it('takes all or nothing, in one request', async () => {
    const { a, b } = stillMachine();
    const owner = newOwner();
    const all = await a.acquireAll({ keys: ['a', 'b', 'c'], owner, ttlMs: 1_000 });
    expect(all).toMatchObject({ granted: true, tokens: [{ key: 'a' }, { key: 'b' }, { key: 'c' }] });
    expect(await a.acquireAll({ keys: ['a', 'b', 'c'], owner, ttlMs: 1_000 })).toMatchObject({ granted: true });
    const other = newOwner();
    const refused = await b.acquireAll({ keys: ['0', 'b', 'z'], owner: other, ttlMs: 1_000 });
    expect(refused).toEqual({ granted: false, key: 'b', holder: owner, remainingMs: 1_000 });
    const held = (await b.list({ limit: 10 })).map(({ key }) => key);
    expect(held).toEqual(['a', 'b', 'c']);
  });

  it('gives back what it took when one of the folders is corrupt', async () => {
    const { a, folderOf } = stillMachine();
    mkdirSync(folderOf('b'));
    writeFileSync(join(folderOf('b'), 'garbage'), '');
    const request = { keys: ['a', 'b'], owner: newOwner(), ttlMs: 1_000 };
    await expect(a.acquireAll(request)).rejects.toMatchObject({ code: 'store-corrupt' });
    await granted(a, 'a', newOwner());
  });
});

describe('break', () => {
  it('frees the lease, raises the token and tells the holder why', async () => {
    const { a, b, stateOf } = stillMachine();
    const owner = newOwner();
    const { lastToken } = await granted(a, 'Job', owner);
    const reply = await b.breakLease({ key: 'Job', reason: 'It hangs.', by: 'ops', acceptMs: 100 });
    expect(reply).toEqual({ broken: true, holders: [owner], token: lastToken + 1 });
    expect(parseLeaseName(stateOf('Job'))).toMatchObject({ kind: 'free', token: lastToken + 1 });
    const loss = { key: 'Job', owner, token: lastToken };
    expect(await a.explainLoss(loss)).toEqual({ kind: 'broken', by: 'ops', reason: 'It hangs.' });
    const next = newOwner();
    await granted(b, 'Job', next);
    expect(await a.explainLoss(loss)).toMatchObject({ kind: 'broken' });
    expect(await a.explainLoss({ ...loss, owner: newOwner() })).toMatchObject({ kind: 'taken' });
    expect(await a.explainLoss({ ...loss, token: 1 })).toEqual({ kind: 'taken', holder: next });
  });

  it('breaks every holder of a pool', async () => {
    const { a, b } = stillMachine();
    const owners = [newOwner(), newOwner()];
    for (const owner of owners) await granted(a, 'pool', owner, { weight: 1, capacity: 2 });
    expect(await b.breakLease({ key: 'pool', reason: 'r', by: 'b', acceptMs: 0 })).toMatchObject({ holders: owners });
    await granted(b, 'pool', newOwner());
  });

  it('has nothing to break in a free, ended or unknown lease, and makes no folder', async () => {
    const { a, pass, folderOf } = stillMachine();
    const request = { key: 'k', reason: 'r', by: 'b', acceptMs: 0 };
    expect(await a.breakLease(request)).toEqual({ broken: false });
    expect(existsSync(folderOf('k'))).toBe(false);
    const owner = newOwner();
    const { lastToken } = await granted(a, 'k', owner);
    pass(1_000);
    expect(await a.breakLease(request)).toEqual({ broken: false });
    expect(await a.explainLoss({ key: 'k', owner, token: lastToken })).toEqual({ kind: 'expired' });
  });
});
