import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { createState, lookState, swapState } from './state-folder.ts';

const roots: string[] = [];

function setup() {
  const root = mkdtempSync(join(tmpdir(), 'state-folder-'));
  roots.push(root);
  const folder = `${root}/a.lease`;
  const state = { root, folder, name: '0.f.new', content: 'the key', flush: true };
  return { root, folder, state, tools: platform, look: () => lookState(platform, folder, parse) };
}

/** Any name that begins with a number. */
function parse(name: string): string | undefined {
  return /^\d/.test(name) ? name : undefined;
}

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

describe('state folder', () => {
  it('is made whole, with its content, and leaves nothing behind', async () => {
    const { root, folder, state, tools, look } = setup();
    expect(await look()).toBe('missing');
    await createState(tools, state);
    expect(await look()).toBe('0.f.new');
    expect(readFileSync(`${folder}/0.f.new`, 'utf8')).toBe('the key');
    expect(readdirSync(root)).toEqual(['a.lease']);
  });

  it('stays as it is when somebody else made it first', async () => {
    const { root, state, tools, look } = setup();
    await createState(tools, { ...state, name: '7.f.first' });
    await createState(tools, state);
    expect(await look()).toBe('7.f.first');
    expect(readdirSync(root)).toEqual(['a.lease']);
  });

  it('swaps only from the name that is there', async () => {
    const { folder, state, tools, look } = setup();
    await createState(tools, state);
    expect(await swapState(tools, folder, '0.f.new', '1.h.me')).toBe(true);
    expect(await swapState(tools, folder, '0.f.new', '1.h.you')).toBe(false);
    expect(await look()).toBe('1.h.me');
  });

  it('believes the target when a rename that succeeded reports failure', async () => {
    const { folder, state, tools } = setup();
    await createState(tools, state);
    renameSync(`${folder}/0.f.new`, `${folder}/1.h.me`);
    expect(await swapState(tools, folder, '0.f.new', '1.h.me')).toBe(true);
  });

  it('does not swap in a folder that is gone', async () => {
    const { folder, tools } = setup();
    expect(await swapState(tools, folder, '0.f.new', '1.h.me')).toBe(false);
  });

  it('looks past files that other programs leave', async () => {
    const { folder, state, tools, look } = setup();
    await createState(tools, state);
    writeFileSync(`${folder}/.DS_Store`, '');
    expect(await look()).toBe('0.f.new');
  });

  it('sees through a rename caught half-way: no name or two, then one', async () => {
    const { folder, state, tools, look } = setup();
    await createState(tools, state);
    for (const change of [
      () => renameSync(`${folder}/0.f.new`, `${folder}/.away`),
      () => writeFileSync(`${folder}/1.h.me`, ''),
    ]) {
      change();
      // The third look comes after a pause; by then the rename is over.
      const looked = look();
      rmSync(`${folder}/.away`, { force: true });
      rmSync(`${folder}/0.f.new`, { force: true });
      writeFileSync(`${folder}/1.h.me`, '');
      expect(await looked).toBe('1.h.me');
      writeFileSync(`${folder}/0.f.new`, '');
      rmSync(`${folder}/1.h.me`);
    }
  });

  it('takes the higher of two names that change with every look', async () => {
    const { folder, state, tools } = setup();
    await createState(tools, state);
    let n = 1;
    const names = () => readdirSync(folder).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
    writeFileSync(`${folder}/1.x`, '');
    const moving = {
      ...tools,
      clock: {
        after(delayMs: number, run: () => void) {
          const [low = ''] = names();
          renameSync(`${folder}/${low}`, `${folder}/${++n}.x`);
          return tools.clock.after(delayMs, run);
        },
      },
    };
    const found = await lookState(moving, folder, parse);
    expect(found).toBe(names().at(-1));
  });

  it.each<[string, (folder: string) => void]>([
    ['a name that is not ours', (folder) => writeFileSync(`${folder}/garbage`, '')],
    ['two states', (folder) => writeFileSync(`${folder}/1.h.me`, '')],
  ])('reports %s, names the folder and deletes nothing', async (_, spoil) => {
    const { folder, state, tools, look } = setup();
    await createState(tools, state);
    spoil(folder);
    const before = readdirSync(folder);
    await expect(look()).rejects.toMatchObject({
      code: 'store-corrupt',
      message: expect.stringContaining(`"${folder}"`),
    });
    expect(readdirSync(folder)).toEqual(before);
  });

  it('reports a file in the place of the folder', async () => {
    const { folder, state, tools, look } = setup();
    writeFileSync(folder, 'a lock file of another program');
    await createState(tools, state);
    await expect(look()).rejects.toMatchObject({ code: 'store-corrupt' });
    expect(readFileSync(folder, 'utf8')).toContain('another program');
  });

  it('tells an empty folder from a missing one', async () => {
    const { folder, look } = setup();
    mkdirSync(folder);
    expect(await look()).toBe('empty');
  });

  it('says what is wrong with the place in one sentence', async () => {
    const { root, state, tools } = setup();
    writeFileSync(`${root}/file`, '');
    const inFile = createState(tools, { ...state, root: `${root}/file/deep`, folder: `${root}/file/deep/a.lease` });
    await expect(inFile).rejects.toMatchObject({
      code: 'store-refused',
      retryable: false,
      message: `"${root}/file/deep" cannot be a folder: a part of its path is a file (ENOTDIR). Choose another folder.`,
    });
  });
});
