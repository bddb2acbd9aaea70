/**
 * One clock for all processes of a machine since it was started, and the name of that start. Two processes may
 * compare readings while they share a boot id: on Linux `process.hrtime` is CLOCK_MONOTONIC, the same for everybody.
 * It stands still while the machine sleeps, for all of them alike.
 */
import { readFileSync } from 'node:fs';

export interface BootClock {
  /** Whole microseconds since the machine was started; never goes back. */
  nowUs(): number;
  /** First eight characters of the kernel's boot id, or `unknownBoot`. */
  readonly bootId: string;
}

/** The boot id where the system does not tell one (no /proc). */
export const unknownBoot = 'unknown';

export function bootClock(): BootClock {
  const shiftUs = readNamespaceShiftUs();
  return {
    bootId: readBootId(),
    nowUs: () => {
      const [seconds, nanoseconds] = process.hrtime();
      return seconds * 1_000_000 + Math.floor(nanoseconds / 1000) - shiftUs;
    },
  };
}

function readBootId(): string {
  const id = readText('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? '';
  return /^[0-9a-f]{8}$/.test(id) ? id : unknownBoot;
}

/** A time namespace shifts the clock of the processes in it; without the shift all share one clock again. */
function readNamespaceShiftUs(): number {
  const match = /^monotonic\s+(-?\d+)\s+(\d+)/m.exec(readText('/proc/self/timens_offsets') ?? '');
  return match ? Number(match[1]) * 1_000_000 + Math.floor(Number(match[2]) / 1000) : 0;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
