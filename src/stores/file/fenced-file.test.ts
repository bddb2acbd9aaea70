import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type FencedFile, fencedFile, type LiveLease } from './fenced-file.ts';

const dirs: string[] = [];

function setup() {
  const parent = mkdtempSync(join(tmpdir(), 'fenced-file-'));
  dirs.push(parent);
  const dir = join(parent, 'doc');
  return { dir, file: fencedFile(dir), contents: () => readdirSync(join(dir, 'content')) };
}

afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

const lease = (token: number, held = true): LiveLease => ({ token, isHeld: () => held });

async function textOf(file: FencedFile): Promise<string | undefined> {
  const { content } = await file.read();
  return content?.toString();
}

describe('fencedFile', () => {
  it('starts empty, then keeps what the holder writes, and only that', async () => {
    const { file, contents } = setup();
    expect(await file.claim(lease(5))).toEqual({ claimed: true, content: undefined, version: 0, token: 5 });
    expect(await file.write(lease(5), 'one')).toEqual({ written: true });
    expect(await file.write(lease(5), Buffer.from('two'))).toEqual({ written: true });
    expect(await file.claim(lease(6))).toMatchObject({ claimed: true, version: 2, content: Buffer.from('two') });
    expect(contents()).toHaveLength(1);
  });

  it('refuses a late write once a later holder has read', async () => {
    const { file, dir, contents } = setup();
    await file.write(lease(5), 'old');
    const claim = await fencedFile(dir).claim(lease(6));
    expect(claim).toMatchObject({ claimed: true, content: Buffer.from('old') });
    expect(await file.write(lease(5), 'late')).toEqual({ written: false, token: 6 });
    expect(await file.claim(lease(5))).toEqual({ claimed: false, token: 6 });
    expect(await textOf(file)).toBe('old');
    expect(contents()).toHaveLength(1);
  });

  it('refuses a write that was under way when a later holder claimed', async () => {
    const { file, dir, contents } = setup();
    await file.write(lease(5), 'old');
    const [state = ''] = readdirSync(join(dir, 'state'));
    let checks = 0;
    // The second check comes right before the rename: the content is written, and the other's claim comes in.
    const slow: LiveLease = {
      token: 5,
      isHeld() {
        if (++checks === 2) renameSync(join(dir, 'state', state), join(dir, 'state', state.replace(/^5/, '6')));
        return true;
      },
    };
    expect(await file.write(slow, 'late')).toEqual({ written: false, token: 6 });
    expect(checks).toBeGreaterThan(2);
    expect(await textOf(file)).toBe('old');
    expect(contents()).toHaveLength(1);
  });

  it('loses updates without the claim, and none with it', async () => {
    const { file } = setup();
    await file.write(lease(1), '0');
    const count = async (): Promise<number> => Number(await textOf(file));
    // a reads and pauses; its lease ends; b only reads; a wakes up and writes; b writes over it.
    const fromA = await count();
    const fromB = await count();
    expect(await file.write(lease(2), String(fromA + 1))).toEqual({ written: true });
    expect(await file.write(lease(3), String(fromB + 1))).toEqual({ written: true });
    expect(await count()).toBe(1);
    // The same again, but b reads by its claim.
    const base = await count();
    expect(await file.claim(lease(4))).toMatchObject({ claimed: true });
    const claim = await file.claim(lease(5));
    const read = Number(claim.claimed && claim.content?.toString());
    const late = await file.write(lease(4), String(base + 1));
    expect(late).toEqual({ written: false, token: 5 });
    expect(await file.write(lease(5), String(read + 1))).toEqual({ written: true });
    expect(await count()).toBe(base + 1);
  });

  it('needs a live lease, before and after the content is written', async () => {
    const { file, contents } = setup();
    await file.write(lease(5), 'old');
    const lost = { code: 'lost' };
    await expect(file.claim(lease(6, false))).rejects.toMatchObject(lost);
    await expect(file.write(lease(6, false), 'x')).rejects.toMatchObject(lost);
    let checks = 0;
    const ending: LiveLease = { token: 6, isHeld: () => ++checks < 2 };
    await expect(file.write(ending, 'x')).rejects.toMatchObject(lost);
    expect(await textOf(file)).toBe('old');
    expect((await file.read()).token).toBe(5);
    expect(contents()).toHaveLength(1);
  });

  it.each([Number.NaN, -1, 1.5])('refuses the token %s', async (token) => {
    const { file } = setup();
    await expect(file.claim(lease(token))).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  it('keeps every write of one holder in order, however many at once', async () => {
    const { file, dir, contents } = setup();
    const writes = Array.from({ length: 12 }, (_, i) => fencedFile(dir).write(lease(5), `write ${i}`));
    for (const reply of await Promise.all(writes)) expect(reply).toEqual({ written: true });
    expect(await file.read()).toMatchObject({ version: 12, token: 5 });
    expect(await textOf(file)).toMatch(/^write \d+$/);
    await file.write(lease(5), 'last');
    expect(contents()).toHaveLength(1);
  });

  it('sweeps the orphan of a crash with the next write, and leaves a writer under way alone', async () => {
    const { file, dir, contents } = setup();
    await file.write(lease(5), 'a');
    writeFileSync(join(dir, 'content', '5-0-dead'), 'crashed before its rename');
    writeFileSync(join(dir, 'content', '5-2-beef'), 'another writer, based on the state to come');
    await file.write(lease(5), 'b');
    expect(contents()).toContain('5-2-beef');
    expect(contents()).toHaveLength(2);
    await file.write(lease(5), 'c');
    expect(contents()).toHaveLength(1);
  });

  it('reports a state whose content is gone', async () => {
    const { file, dir, contents } = setup();
    await file.write(lease(5), 'a');
    for (const name of contents()) rmSync(join(dir, 'content', name));
    await expect(file.read()).rejects.toMatchObject({ code: 'store-corrupt' });
    await expect(file.claim(lease(6))).rejects.toMatchObject({ code: 'store-corrupt' });
  });

  it('says what is wrong with the place', async () => {
    const { dir } = setup();
    writeFileSync(dir, '');
    await expect(fencedFile(dir).write(lease(5), 'a')).rejects.toMatchObject({ code: 'store-refused' });
  });
});
