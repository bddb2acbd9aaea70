import type { OpenFiles } from './ports.ts';

/** There is no record, or none that can be read: no token up to this one may be given out, for what was saved names it. */
export async function tokenFloor(files: OpenFiles): Promise<number> {
  let floor = 0;
  for (const name of ['index.json', 'current.json']) {
    try {
      const project = await (await files()).getDirectoryHandle('project');
      const file = await (await project.getDirectoryHandle('autosave')).getFileHandle(name);
      const { token } = JSON.parse(await (await file.getFile()).text()) as { token: number };
      if (Number.isSafeInteger(token)) floor = Math.max(floor, token);
    } catch {
      // Not there, or not readable: it says nothing about tokens.
    }
  }
  return floor;
}
