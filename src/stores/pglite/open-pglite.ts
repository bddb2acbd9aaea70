/** Loads PGlite, takes the folder's lock and opens it; everything that can be missing is explained. */
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { LeaseError } from '../../core/errors.ts';
import { type DirectoryLock, lockDirectory } from '../../platform/directory-lock.ts';

export interface OpenedPglite {
  readonly pglite: PGlite;
  close(): Promise<void>;
}

/** OID of bigint. */
const int8 = 20;

export async function openPglite(dir: string): Promise<OpenedPglite> {
  const { PGlite } = await loadPglite();
  // PGlite itself lets two processes open one folder, and both lose acknowledged rows.
  const lock: DirectoryLock | undefined =
    dir === 'memory' ? undefined : await lockDirectory(dir, { what: 'The PGlite folder' });
  try {
    const dataDir = dir === 'memory' ? 'memory://' : join(dir, 'data');
    const pglite = await PGlite.create({ dataDir, parsers: { [int8]: parseSafe } });
    return {
      pglite,
      async close() {
        try {
          await pglite.close();
        } finally {
          await lock?.release();
        }
      },
    };
  } catch (cause) {
    await lock?.release();
    throw new LeaseError(`PGlite could not open ${dir} (${cause instanceof Error ? cause.message : String(cause)}).`, {
      code: 'store-unavailable',
      cause,
    });
  }
}

async function loadPglite(): Promise<typeof import('@electric-sql/pglite')> {
  try {
    return await import('@electric-sql/pglite');
  } catch (cause) {
    throw new LeaseError('PGlite is not installed: run `npm install @electric-sql/pglite`.', {
      code: 'store-unavailable',
      cause,
    });
  }
}

function parseSafe(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new LeaseError(`The number ${text} from the database is too large to be exact in JavaScript.`, {
    code: 'store-corrupt',
  });
}
