import type { OpfsDirectory } from './ports.ts';

/**
 * The record is empty or unreadable: below this number every token may have been given out. What was saved says so,
 * and the wall clock in µs, which is ahead of all tokens counted up by one, also of those that saved nothing.
 */
export async function tokenFloor(project: OpfsDirectory, nowMs: number): Promise<number> {
  const tokens = await Promise.all(['index.json', 'current.json'].map((name) => readToken(project, name)));
  return Math.max(nowMs * 1000, ...tokens);
}

async function readToken(project: OpfsDirectory, name: string): Promise<number> {
  try {
    const file = await (await project.getDirectoryHandle('autosave')).getFileHandle(name);
    const { token } = JSON.parse(await (await file.getFile()).text()) as { token: unknown };
    return Number.isSafeInteger(token) ? (token as number) : 0;
  } catch {
    // Not there, or not readable: it says nothing about tokens.
    return 0;
  }
}
