import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';

/** A log that has grown beyond this is put aside when the server starts: one old file is kept. */
const logBytesMax = 1_000_000;

/** How much of it an error message shows. */
const tailLines = 8;

/** Opens the log for appending. `start` is where this server's own lines begin. */
export function openServerLog(path: string): { readonly fd: number; readonly start: number } {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax) renameSync(path, `${path}.old`);
  const fd = openSync(path, 'a', 0o600);
  return { fd, start: fstatSync(fd).size };
}

/** The last lines of the log from `start` on. */
export function readLogTail(path: string, start: number): string {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const from = Math.max(start, fstatSync(fd).size - 8_192);
    const buffer = Buffer.alloc(8_192);
    const length = readSync(fd, buffer, 0, buffer.length, from);
    return buffer.toString('utf8', 0, length).trim().split('\n').slice(-tailLines).join('\n');
  } finally {
    closeSync(fd);
  }
}
