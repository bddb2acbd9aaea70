/** Logs in a folder of a local or shared disk. A file appears under its name when it is complete and on the disk. */
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { platform as ambientPlatform } from '#platform';
import type { Random } from '../../../core/ports.ts';
import { JobError } from '../job-error.ts';
import type { LogArchive } from './log-archive.ts';

export interface FolderArchiveOptions {
  /** Made if need be. */
  readonly dir: string;
  /** @default real chance */
  readonly random?: Random;
}

export function folderArchive({ dir, random = ambientPlatform.random }: FolderArchiveOptions): LogArchive {
  const root = resolve(dir);
  const pathOf = (key: string): string => {
    const path = join(root, key);
    // A reference comes from the database; it must not lead out of the folder.
    if (path.startsWith(root + sep)) return path;
    throw new JobError(`The archived log "${key}" is outside of ${root}.`, { code: 'log-missing' });
  };
  return {
    refPrefix: 'folder:',
    async write(key, chunks) {
      const path = pathOf(key);
      const unfinished = `${path}.${random.hex(4)}.part`;
      await mkdir(dirname(path), { recursive: true });
      const file = await open(unfinished, 'wx', 0o640);
      try {
        try {
          for await (const chunk of chunks) await file.writeFile(chunk);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    },
    async *read(key, fromByte) {
      try {
        for await (const chunk of createReadStream(pathOf(key), { start: fromByte })) yield chunk as Uint8Array;
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
        throw new JobError(`The archived log ${join(root, key)} is not there.`, { code: 'log-missing', cause });
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  };
}

/** Without it a power loss may forget the name. Where folders cannot be opened (Windows) it is not needed. */
async function syncFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
