/**
 * Java options with which the emulator starts in a third of the processor time: it lives for seconds, so the slow
 * compiler never pays, and its classes come out of an archive that is made once, by a start of its own. Safe when
 * several begin at once; where Java cannot make or use the archive, the emulator starts without.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];

/** @param start starts the emulator with these options and waits until it answers */
export async function quickStartOptions(
  jar: string,
  start: (options: readonly string[]) => Promise<ChildProcess>,
): Promise<readonly string[]> {
  const { size, mtimeMs } = statSync(jar);
  const archive = `${cacheFolder}firestore-${size}-${Math.round(mtimeMs)}.jsa`;
  if (!existsSync(archive)) await makeArchive(archive, start);
  // A Java that finds the archive to be another's overlooks it.
  return existsSync(archive) ? [...quickStart, `-XX:SharedArchiveFile=${archive}`] : quickStart;
}

async function makeArchive(
  archive: string,
  start: (options: readonly string[]) => Promise<ChildProcess>,
): Promise<void> {
  mkdirSync(cacheFolder, { recursive: true });
  const partial = `${archive}.${process.pid}`;
  let emulator: ChildProcess;
  try {
    emulator = await start([...quickStart, `-XX:ArchiveClassesAtExit=${partial}`]);
  } catch {
    // A Java that knows no such option. If the emulator cannot start at all, the start without it says so.
    return;
  }
  const exited = once(emulator, 'exit');
  // It writes the archive when it ends in order.
  emulator.kill('SIGTERM');
  await exited;
  if (existsSync(partial)) renameSync(partial, archive);
}
