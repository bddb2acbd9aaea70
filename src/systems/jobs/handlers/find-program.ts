import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** The file that a command names, by the rules of a shell: with a slash it is a path, else PATH is searched. */
export async function findProgram(name: string, path: string, cwd: string): Promise<string | undefined> {
  if (name === '') return undefined;
  if (name.includes('/') || isAbsolute(name))
    return (await isProgram(resolve(cwd, name))) ? resolve(cwd, name) : undefined;
  for (const dir of path.split(delimiter)) {
    const file = join(resolve(cwd, dir), name);
    if (await isProgram(file)) return file;
  }
  return undefined;
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
