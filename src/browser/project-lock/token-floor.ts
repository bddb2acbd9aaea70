import type { OpfsDirectory } from './ports.ts';

/**
 * The record is empty or unreadable: below this number every token may have been given out. What was saved says so,
 * and the wall clock in µs, which is ahead of all tokens counted up by one, also of those that saved nothing.
 */
export async function tokenFloor(project: OpfsDirectory, nowMs: number): Promise<number> {
  let floor = nowMs * 1000;
  for (const name of ['index.json', 'current.json']) {
    try {
      const file = await (await project.getDirectoryHandle('autosave')).getFileHandle(name);
      const { token } = JSON.parse(await (await file.getFile()).text()) as { token: number };
      if (Number.isSafeInteger(token)) floor = Math.max(floor, token);
    } catch {
      // Not there, or not readable: it says nothing about tokens.
    }
  }
  return floor;
}
