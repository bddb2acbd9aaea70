import { describe, expect, it } from 'vitest';
import { inMemoryOpfs } from './in-memory-opfs.ts';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const change = (text: string, position = 0) => ({ type: 'write', position, data: bytes(text) }) as const;

async function openLock(content = '') {
  const opfs = inMemoryOpfs();
  opfs.put('project/.lock', content);
  const root = await opfs.open();
  const project = await root.getDirectoryHandle('project');
  return { opfs, root, project, file: await project.getFileHandle('.lock') };
}

describe('inMemoryOpfs', () => {
  it('has one exclusive handle per file, and refuses everybody else meanwhile', async () => {
    const { opfs, project, file } = await openLock('abc');
    const handle = await file.createSyncAccessHandle();
    const busy = { name: 'NoModificationAllowedError' };
    await expect(file.createSyncAccessHandle()).rejects.toMatchObject(busy);
    await expect(file.createWritable()).rejects.toMatchObject(busy);
    await expect(project.removeEntry('.lock')).rejects.toMatchObject(busy);
    await expect(file.move(project, 'away')).rejects.toMatchObject(busy);
    expect(handle.write(bytes('XY'), { at: 2 })).toBe(2);
    const into = new Uint8Array(8);
    expect(handle.read(into, { at: 1 })).toBe(3);
    expect(await (await file.getFile()).text()).toBe('abXY');
    handle.close();
    expect(() => handle.write(bytes('Z'), { at: 0 })).toThrow('closed');
    await (await file.createSyncAccessHandle()).close();
    expect(opfs.read('project/.lock')).toBe('abXY');
  });

  it('shows what a writable wrote when it is closed, not before; an open one keeps handles out', async () => {
    const { opfs, file } = await openLock('old');
    const writable = await file.createWritable({ keepExistingData: true });
    await writable.write(change('N'));
    expect(opfs.read('project/.lock')).toBe('old');
    await expect(file.createSyncAccessHandle()).rejects.toMatchObject({ name: 'NoModificationAllowedError' });
    await writable.close();
    expect(opfs.read('project/.lock')).toBe('Nld');
    const dropped = await file.createWritable();
    await dropped.write(change('gone'));
    await dropped.abort();
    expect(opfs.read('project/.lock')).toBe('Nld');
  });

  it('renames over an existing file; the source is gone and the handle follows', async () => {
    const { opfs, project, file } = await openLock('new');
    opfs.put('project/current', 'old');
    await file.move(project, 'current');
    expect(opfs.paths()).toEqual(['project/current']);
    expect(await (await file.getFile()).text()).toBe('new');
    await expect(project.getFileHandle('.lock')).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  it('finds nothing behind a handle whose file was removed', async () => {
    const { project, file } = await openLock();
    await project.removeEntry('.lock');
    await expect(file.getFile()).rejects.toMatchObject({ name: 'NotFoundError' });
    await expect(file.move(project, 'x')).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  it('fails by appointment: after some calls, so many times, for one file', async () => {
    const { opfs, project, file } = await openLock();
    opfs.fail({ operation: 'read', path: '.lock', skip: 1, times: 2 });
    const other = await project.getFileHandle('other', { create: true });
    await file.getFile();
    await expect(file.getFile()).rejects.toMatchObject({ name: 'NotReadableError' });
    await other.getFile();
    await expect(file.getFile()).rejects.toMatchObject({ name: 'NotReadableError' });
    await file.getFile();
    opfs.fail({ operation: 'delete', error: 'InvalidStateError' });
    await expect(project.removeEntry('other')).rejects.toMatchObject({ name: 'InvalidStateError' });
    await project.removeEntry('other');
    opfs.fail({ operation: 'any', skip: 1, times: Number.POSITIVE_INFINITY });
    await file.getFile();
    await expect(file.getFile()).rejects.toMatchObject({ name: 'NotReadableError' });
    await expect(project.removeEntry('.lock')).rejects.toMatchObject({ name: 'InvalidStateError' });
    opfs.heal();
    await file.getFile();
  });

  it('holds a call until it is let go', async () => {
    const { opfs, project, file } = await openLock();
    const held = opfs.hold('move', /\.lock$/);
    const moved = file.move(project, 'there');
    expect(await held.reached).toBe('project/.lock');
    expect(opfs.paths()).toEqual(['project/.lock']);
    held.release();
    await moved;
    expect(opfs.paths()).toEqual(['project/there']);
  });

  it('has room for so many bytes: a writable throws, a handle writes less', async () => {
    const { opfs, project, file } = await openLock('12345678');
    opfs.setQuota(10);
    const grown = await (await project.getFileHandle('b', { create: true })).createWritable();
    await expect(grown.write(change('123'))).rejects.toMatchObject({ name: 'QuotaExceededError' });
    await grown.abort();
    const handle = await file.createSyncAccessHandle();
    expect(handle.write(bytes('abcd'), { at: 8 })).toBe(2);
    // A full disk does not stop a write in place.
    expect(handle.write(bytes('zz'), { at: 0 })).toBe(2);
    handle.close();
    expect(opfs.usedBytes()).toBe(10);
  });

  it('lists a folder, and removes one only when it is empty or told to', async () => {
    const { opfs, root, project } = await openLock();
    opfs.put('project/autosave/current.json', '{}');
    const names: string[] = [];
    for await (const name of project.keys()) names.push(name);
    expect(names).toEqual(['.lock', 'autosave']);
    await expect(root.removeEntry('project')).rejects.toMatchObject({ name: 'InvalidModificationError' });
    await root.removeEntry('project', { recursive: true });
    expect(opfs.paths()).toEqual([]);
  });
});
