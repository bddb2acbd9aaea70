/**
 * One JSON object per line in `<folder>/<day>.jsonl`; the day is UTC. A write is one append of whole lines, so any
 * number of processes may share a file. A line that a crash cut short is ended before the next one is written.
 */
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '../../platform/iso-time.ts';

export interface EventFile {
  append(records: readonly object[], nowMs: number): Promise<void>;
  close(): Promise<void>;
}

export function createEventFile(dir: string): EventFile {
  let current: { readonly day: string; readonly handle: FileHandle } | undefined;

  const handleFor = async (day: string): Promise<FileHandle> => {
    if (current?.day === day) return current.handle;
    await current?.handle.close();
    current = undefined;
    await mkdir(dir, { recursive: true });
    const handle = await open(join(dir, `${day}.jsonl`), 'a+');
    if (await endsInsideLine(handle)) await handle.appendFile('\n');
    current = { day, handle };
    return handle;
  };

  return {
    async append(records, nowMs) {
      const handle = await handleFor(isoTime(nowMs).slice(0, 10));
      await handle.appendFile(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    },
    async close() {
      await current?.handle.close();
      current = undefined;
    },
  };
}

async function endsInsideLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}
