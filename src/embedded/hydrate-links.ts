/**
 * The npm package cannot contain symbolic links, so it lists them, and its install script makes them. Where install
 * scripts were off the programs do not find their libraries: we make the missing links ourselves.
 */
import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** `bin` is the folder of the programs. Returns how many links were made. */
export function hydrateLinks(bin: string): number {
  const packageRoot = dirname(dirname(bin));
  let made = 0;
  for (const { source, target } of readLinks(packageRoot)) {
    const link = join(packageRoot, target);
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      // Relative, so that the folder can be moved as a whole.
      symlinkSync(relative(dirname(link), join(packageRoot, source)), link);
      made += 1;
    } catch (error) {
      // Another process was quicker: the same link.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return made;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

function readLinks(packageRoot: string): readonly Link[] {
  try {
    return JSON.parse(readFileSync(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8')) as readonly Link[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
