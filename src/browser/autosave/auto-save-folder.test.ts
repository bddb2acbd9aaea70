/** The files of AutoSave on a file system in memory: every place where a tab can die, and every state it leaves. */
import { describe, expect, it } from 'vitest';
import { platform } from '../../platform/node.ts';
import { type InMemoryOpfs, inMemoryOpfs } from '../../testing/in-memory-opfs.ts';
import type { ProjectLockLease } from '../project-lock/project-lock-lease.ts';
import { type AutoSaveFolder, autoSaveFolder, type Commit } from './auto-save-folder.ts';
import { historyIndex } from './history-index.ts';
import type { SavedVersion } from './saved-file.ts';

const limits = { maxGenerations: 3, maxBytes: 10_000 };
const commit: Commit = (_, work) => work(new AbortController().signal);
const leaseOf = (token: number): ProjectLockLease => ({ token }) as ProjectLockLease;

function open(opfs: InMemoryOpfs, commitWith = commit): AutoSaveFolder {
  return autoSaveFolder(opfs.open, platform.sha256, limits, commitWith);
}

interface TestSave {
  readonly commit?: Commit;
  readonly onStep?: () => void;
}

/** One save by a holder that has looked at what is there. */
async function save(opfs: InMemoryOpfs, token: number, seq: number, more: TestSave = {}): Promise<AutoSaveFolder> {
  let isSaving = false;
  const folder = open(opfs, (lease, work) => (isSaving && more.commit ? more.commit : commit)(lease, work));
  await folder.recover(leaseOf(token));
  isSaving = true;
  await saveAs(folder, token, seq, more);
  return folder;
}

function saveAs(folder: AutoSaveFolder, token: number, seq: number, more: TestSave = {}): Promise<void> {
  const version = { token, seq, time: token * 1000 + seq };
  return folder.save(leaseOf(token), version, JSON.stringify(`text ${token}.${seq}`), more.onStep ?? (() => {}));
}

const names = (list: readonly SavedVersion[]): readonly string[] => list.map(({ token, seq }) => `${token}.${seq}`);
const temporaries = (opfs: InMemoryOpfs): readonly string[] => opfs.paths().filter((path) => path.includes('.tmp-'));

/** A project with a full history: the next save has something to drop. */
async function fullProject(): Promise<InMemoryOpfs> {
  const opfs = inMemoryOpfs();
  for (const seq of [1, 2, 3]) await save(opfs, 1, seq);
  return opfs;
}

describe('a save', () => {
  it('writes current, its generation and the index, and leaves no temporary', async () => {
    const opfs = inMemoryOpfs();
    const { kept = [] } = await save(opfs, 1, 1);
    expect(opfs.paths()).toEqual([
      'project/autosave/current.json',
      'project/autosave/history/1001-1-1.json',
      'project/autosave/index.json',
    ]);
    expect(opfs.read('project/autosave/history/1001-1-1.json')).toBe(opfs.read('project/autosave/current.json'));
    expect(opfs.read('project/autosave/index.json')).toBe(historyIndex(kept[0] ?? expect.fail(), kept));
    expect(await open(opfs).read()).toMatchObject({ token: 1, seq: 1, document: 'text 1.1' });
  });

  it('drops the oldest generation when there are too many', async () => {
    const opfs = await fullProject();
    expect(names((await save(opfs, 2, 1)).kept ?? [])).toEqual(['1.2', '1.3', '2.1']);
    expect(names(await open(opfs).list())).toEqual(['2.1', '1.3', '1.2']);
  });

  it('writes nothing inside the mutex: only renames and removals happen there', async () => {
    const opfs = await fullProject();
    await save(opfs, 2, 1, {
      async commit(_, work) {
        opfs.fail({ operation: 'write', times: Number.POSITIVE_INFINITY });
        return work(new AbortController().signal);
      },
    });
    expect(await open(opfs).read()).toMatchObject({ token: 2 });
  });

  it('that is refused leaves the old document, and no temporary', async () => {
    const opfs = await fullProject();
    const refused = save(opfs, 2, 1, { commit: () => Promise.reject(new Error('lease-stale')) });
    await expect(refused).rejects.toThrow('lease-stale');
    expect(await open(opfs).read()).toMatchObject({ token: 1, seq: 3 });
    expect(temporaries(opfs)).toEqual([]);
  });

  it('renames nothing once its signal is aborted', async () => {
    const opfs = await fullProject();
    const late = save(opfs, 2, 1, { commit: (_, work) => work(AbortSignal.abort()) });
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
    expect(await open(opfs).read()).toMatchObject({ token: 1, seq: 3 });
  });

  it('that is let go of half-way renames and removes nothing any more', async () => {
    const opfs = await fullProject();
    const frozen = new AbortController();
    const late = save(opfs, 2, 1, { commit: (_, work) => work(frozen.signal), onStep: () => frozen.abort() });
    await expect(late).rejects.toMatchObject({ name: 'AbortError' });
    expect(await open(opfs).read()).toMatchObject({ token: 2, seq: 1 });
    expect(names(await open(opfs).list())).toEqual(['1.3', '1.2', '1.1']);
    let steps = 0;
    const later = new AbortController();
    const gc = save(opfs, 3, 1, {
      commit: (_, work) => work(later.signal),
      onStep: () => ++steps > 1 && later.abort(),
    });
    await expect(gc).rejects.toMatchObject({ name: 'AbortError' });
    expect(names(await open(opfs).list())).toEqual(['3.1', '2.1', '1.3', '1.2', '1.1']);
  });

  it('puts a damaged current aside', async () => {
    const opfs = await fullProject();
    opfs.put('project/autosave/current.json', 'torn');
    await save(opfs, 2, 1);
    expect(opfs.read('project/autosave/damaged.json')).toBe('torn');
    expect(await open(opfs).read()).toMatchObject({ token: 2 });
  });
});

describe('a tab that dies at any file operation of a save', () => {
  it('leaves the old document before the commit point and the new one after it, and recovery completes it', async () => {
    let survivedAt = -1;
    let sawOld = 0;
    let sawNew = 0;
    for (let calls = 0; survivedAt < 0; calls++) {
      const opfs = await fullProject();
      let committed = false;
      const dyingTab = open(opfs);
      await dyingTab.recover(leaseOf(2));
      opfs.fail({ operation: 'any', skip: calls, times: Number.POSITIVE_INFINITY });
      const dying = saveAs(dyingTab, 2, 1, {
        onStep: () => {
          committed = true;
        },
      });
      const died = await dying.then(
        () => false,
        () => true,
      );
      opfs.heal();
      opfs.closeAll();
      if (!died) survivedAt = calls;

      const next = open(opfs);
      const recovered = await next.recover(leaseOf(3));
      if (!recovered || recovered === 'damaged') expect.fail(`nothing to open after ${calls} calls`);
      const { document: text } = recovered;
      // The rename may be done although its caller did not live to hear of it, never the other way round.
      expect(committed ? ['text 2.1'] : ['text 1.3', 'text 2.1'], `after ${calls} calls`).toContain(text);
      if (text === 'text 1.3') sawOld++;
      else sawNew++;
      expect(temporaries(opfs)).toEqual([]);
      const { kept = [] } = next;
      expect(names(kept).at(-1)).toBe(`${recovered.token}.${recovered.seq}`);
      // The next holder can save, and everything agrees again: the history has what was current before.
      await saveAs(next, 3, 1);
      expect(names(await next.list())).toEqual(['3.1', ...[...names(kept)].reverse()].slice(0, 3));
      expect(names(next.kept ?? [])).toEqual([...names(await next.list())].reverse());
      expect(opfs.read('project/autosave/index.json')).toBe(
        historyIndex(next.kept?.at(-1) ?? expect.fail(), next.kept ?? []),
      );
      expect(temporaries(opfs)).toEqual([]);
    }
    expect(survivedAt).toBeGreaterThan(20);
    expect(sawOld).toBeGreaterThan(10);
    expect(sawNew).toBeGreaterThan(2);
  });
});

describe('recover', () => {
  it('removes the temporaries of lower tokens before it reads: a late rename of a dead tab finds nothing', async () => {
    const opfs = await fullProject();
    const held = opfs.hold('move', '-c');
    const late = save(opfs, 2, 1);
    await held.reached;
    const recovered = await open(opfs).recover(leaseOf(3));
    expect(recovered).toMatchObject({ token: 1, seq: 3 });
    held.release();
    await expect(late).rejects.toMatchObject({ name: 'NotFoundError' });
    expect(await open(opfs).read()).toMatchObject({ token: 1, seq: 3 });
    expect(temporaries(opfs)).toEqual([]);
  });

  it('reads after it removed, so that a rename which lands meanwhile is seen', async () => {
    const opfs = await fullProject();
    const dying = opfs.hold('move', '-c');
    const late = save(opfs, 2, 1);
    await dying.reached;
    const removal = opfs.hold('delete', '.tmp-2-1-c');
    const recovering = open(opfs).recover(leaseOf(3));
    await removal.reached;
    dying.release();
    await late;
    removal.release();
    expect(await recovering).toMatchObject({ token: 2, seq: 1 });
    expect(await open(opfs).read()).toMatchObject({ token: 2, seq: 1 });
  });

  it('leaves a temporary of its own token and one that is being written', async () => {
    const opfs = await fullProject();
    opfs.put('project/autosave/.tmp-3-1-c', 'mine');
    opfs.fail({ operation: 'delete', path: '.tmp-2-1-c', error: 'NoModificationAllowedError' });
    opfs.put('project/autosave/.tmp-2-1-c', 'being written');
    await open(opfs).recover(leaseOf(3));
    expect(temporaries(opfs)).toEqual(['project/autosave/.tmp-2-1-c', 'project/autosave/.tmp-3-1-c']);
  });

  it('says that current is damaged and deletes nothing', async () => {
    const opfs = await fullProject();
    const before = opfs.paths();
    const text = opfs.read('project/autosave/current.json') ?? '';
    opfs.put('project/autosave/current.json', text.replace('text 1.3', 'text 9.9'));
    const next = open(opfs);
    expect(await next.recover(leaseOf(2))).toBe('damaged');
    expect(names(next.kept ?? [])).toEqual(['1.1', '1.2', '1.3']);
    expect(opfs.paths()).toEqual(before);
  });

  it('does not need the index: the next save writes it anew', async () => {
    const opfs = await fullProject();
    opfs.put('project/autosave/index.json', '{"tok');
    const { kept = [] } = await save(opfs, 2, 1);
    expect(opfs.read('project/autosave/index.json')).toBe(historyIndex(kept.at(-1) ?? expect.fail(), kept));
  });

  it('of a current without a generation: the next save gives it one before it replaces it', async () => {
    const opfs = await fullProject();
    opfs.fail({ operation: 'move', path: '-h' });
    await expect(save(opfs, 2, 1)).rejects.toThrow();
    expect(names(await open(opfs).list())).toEqual(['1.3', '1.2', '1.1']);
    // Dies between the two renames: nothing is lost, current included.
    opfs.fail({ operation: 'move', path: '-c' });
    await expect(save(opfs, 3, 1)).rejects.toThrow();
    expect(await open(opfs).read()).toMatchObject({ document: 'text 2.1' });
    expect(names(await open(opfs).list())).toEqual(['2.1', '1.3', '1.2', '1.1']);
    await save(opfs, 4, 1);
    expect(names(await open(opfs).list())).toEqual(['4.1', '2.1', '1.3']);
  });

  it('opens a project where nothing was saved', async () => {
    const opfs = inMemoryOpfs();
    expect(await open(opfs).recover(leaseOf(1))).toBeUndefined();
    expect(opfs.paths()).toEqual([]);
  });
});

describe('reading', () => {
  it('needs no lock and makes no folder', async () => {
    const opfs = inMemoryOpfs();
    expect(await open(opfs).list()).toEqual([]);
    expect(await open(opfs).read()).toBeUndefined();
    await expect((await opfs.open()).getDirectoryHandle('project')).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  it('looks again when the file was renamed over meanwhile', async () => {
    const opfs = await fullProject();
    opfs.fail({ operation: 'read', path: 'current.json', times: 3 });
    expect(await open(opfs).read()).toMatchObject({ token: 1, seq: 3 });
    opfs.fail({ operation: 'read', path: 'current.json', times: Number.POSITIVE_INFINITY });
    await expect(open(opfs).read()).rejects.toMatchObject({ name: 'NotReadableError' });
  });
});
