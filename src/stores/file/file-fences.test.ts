import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { fileFences } from './file-fences.ts';

const dirs: string[] = [];

function setup() {
  const dir = mkdtempSync(join(tmpdir(), 'file-fences-'));
  dirs.push(dir);
  return { dir, fences: fileFences(dir, platform), others: fileFences(dir, platform) };
}

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

describe('fileFences', () => {
  it('rise only, and let the same token in again', async () => {
    const { dir, fences, others } = setup();
    expect(await fences.claim({ resource: 'doc/1', token: 5 })).toEqual({ claimed: true, token: 5 });
    expect(await others.claim({ resource: 'doc/1', token: 9 })).toEqual({ claimed: true, token: 9 });
    expect(await fences.claim({ resource: 'doc/1', token: 5 })).toEqual({ claimed: false, token: 9 });
    expect(await others.claim({ resource: 'doc/1', token: 9 })).toEqual({ claimed: true, token: 9 });
    expect(await fences.claim({ resource: 'doc/2', token: 1 })).toEqual({ claimed: true, token: 1 });
    expect(readdirSync(join(dir, '.fences', 'doc%2f1'))).toEqual(['9.t']);
  });

  it('end at the highest of many claims at once, and refuse every lower one afterwards', async () => {
    const { dir, fences } = setup();
    const tokens = [7, 3, 9, 1, 9, 4, 8];
    const replies = await Promise.all(tokens.map((token) => fileFences(dir, platform).claim({ resource: 'r', token })));
    for (const [i, reply] of replies.entries()) expect(reply.token).toBeGreaterThanOrEqual(tokens[i] ?? 0);
    expect(await fences.claim({ resource: 'r', token: 8 })).toEqual({ claimed: false, token: 9 });
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuse %s, which is no token', async (token) => {
    const { fences } = setup();
    await expect(fences.claim({ resource: 'r', token })).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  it('report a folder that lost its fence, instead of letting everybody in', async () => {
    const { dir, fences } = setup();
    mkdirSync(join(dir, '.fences', 'r'), { recursive: true });
    await expect(fences.claim({ resource: 'r', token: 1 })).rejects.toMatchObject({ code: 'store-corrupt' });
  });
});
