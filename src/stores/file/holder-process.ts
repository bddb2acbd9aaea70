/**
 * Which process holds a lease, so that a crash frees it at once: `<pid>-<start>-<namespace>` on Linux, `0` where the
 * system does not tell (then only the TTL counts). A pid alone may have been given to another process, so its start
 * time belongs to it; and it means something only inside its own pid namespace (containers that share a folder). A
 * stopped process is alive: its lease ends by the TTL.
 */
import { readFileSync, readlinkSync } from 'node:fs';

/** The mark of a holder that does not want to be judged by its process: only the TTL counts. */
export const unknownHolderProcess = '0';

/** The mark of this process. */
export function currentHolderProcess(): string {
  current ??= describeProcess(process.pid);
  return current;
}

/** True only if the process has certainly ended. */
export function isHolderProcessGone(mark: string): boolean {
  const own = currentHolderProcess();
  if (mark === own) return false;
  const [pid, start, namespace] = split(mark);
  if (!pid || !start || !namespace || namespace !== split(own)[2]) return false;
  // A signal 0 tells of processes that /proc may hide from us (hidepid).
  if (!isThere(Number(pid))) return true;
  const stat = readStat(Number(pid));
  if (!stat) return false;
  // A zombie has ended, unless some of its threads are still on their way out.
  return stat.start !== start || (stat.state === 'Z' && stat.threads <= 1);
}

let current: string | undefined;

function describeProcess(pid: number): string {
  const stat = readStat(pid);
  const namespace = readPidNamespace();
  return stat && namespace ? `${pid}-${stat.start}-${namespace}` : unknownHolderProcess;
}

function split(mark: string): readonly string[] {
  return /^\d{1,10}-\d+-\d+$/.test(mark) ? mark.split('-') : [];
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

interface ProcessStat {
  readonly state: string;
  readonly threads: number;
  readonly start: string;
}

function readStat(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in parentheses and may contain anything; the third field follows it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, threads, start] = [fields[0], fields[17], fields[19]];
    return state && threads && start && /^\d+$/.test(start) ? { state, threads: Number(threads), start } : undefined;
  } catch {
    return undefined;
  }
}

function readPidNamespace(): string | undefined {
  try {
    return /^pid:\[(\d+)\]$/.exec(readlinkSync('/proc/self/ns/pid'))?.[1];
  } catch {
    return undefined;
  }
}
