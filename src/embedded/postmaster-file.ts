import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a running server writes about itself into its data folder. It stays behind when the server is killed. */
export interface PostmasterFile {
  readonly pid: number;
  /** Undefined until the server has opened its port. */
  readonly port: number | undefined;
  readonly ready: boolean;
}

export function readPostmasterFile(dataDir: string): PostmasterFile | undefined {
  let text: string;
  try {
    text = readFileSync(join(dataDir, 'postmaster.pid'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  // A standalone backend writes a negative pid; we never start one, and a half-written file is no answer yet.
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: port > 0 ? port : undefined, ready: lines[7]?.trim() === 'ready' };
}
