/** What a double of the origin private file system can be told to fail or to stop at. */
export type OpfsOperation = 'open' | 'read' | 'write' | 'close' | 'move' | 'delete' | 'list';

export interface OpfsFault {
  /** `any`: with `skip` and `times`, a tab that dies after so many calls. */
  readonly operation: OpfsOperation | 'any';
  /** Only files whose path ends with this, or matches it. @default every file */
  readonly path?: string | RegExp;
  /** A text makes a `DOMException` of that name. @default 'NotReadableError' for reads, else 'InvalidStateError' */
  readonly error?: string | Error;
  /** So many matching calls succeed first. @default 0 */
  readonly skip?: number;
  /** So many calls fail then. `Infinity`: for good. @default 1 */
  readonly times?: number;
}

/** A call that stands still until the test lets it go. */
export interface HeldCall {
  /** Resolves with the path when the call has come. */
  readonly reached: Promise<string>;
  /** Lets it go on; given an error, it fails instead. */
  release(error?: Error): void;
}

export interface OpfsFaults {
  fail(fault: OpfsFault): void;
  /** Nothing that was planned happens any more. */
  heal(): void;
  /** The next matching call waits. Sync access handles cannot wait; they go on. */
  hold(operation: OpfsOperation, path?: string | RegExp): HeldCall;
  /** All bytes of all files; more is refused with `QuotaExceededError`. `Infinity`: no limit. */
  setQuota(bytes: number): void;
  meet(operation: OpfsOperation, path: string): Promise<void>;
  meetNow(operation: OpfsOperation, path: string): void;
  /** Sets bytes aside for a file that is being written. Throws `QuotaExceededError` when there is no room for them. */
  takeRoom(bytes: number): void;
  /** They are stored now, or were given up. */
  giveRoomBack(bytes: number): void;
  /** How many of so many bytes there is room for. */
  roomFor(bytes: number): number;
}

/** Failures by appointment. `usedBytes` counts what is stored now. */
export function opfsFaults(usedBytes: () => number): OpfsFaults {
  const faults: { fault: OpfsFault; skip: number; times: number }[] = [];
  const holds: { operation: OpfsOperation; path: string | RegExp | undefined; stop(path: string): Promise<void> }[] =
    [];
  let quota = Number.POSITIVE_INFINITY;
  let takenBytes = 0;

  const meetNow = (operation: OpfsOperation, path: string): void => {
    for (const planned of faults) {
      const { fault } = planned;
      if (planned.times <= 0 || ![operation, 'any'].includes(fault.operation) || !matches(path, fault.path)) continue;
      if (planned.skip-- > 0) continue;
      planned.times--;
      const { error = operation === 'read' ? 'NotReadableError' : 'InvalidStateError' } = fault;
      throw typeof error === 'string' ? new DOMException(`Planned by the test: ${operation} ${path}.`, error) : error;
    }
  };
  const roomFor = (bytes: number): number => Math.max(0, Math.min(bytes, quota - usedBytes() - takenBytes));
  return {
    fail(fault) {
      faults.push({ fault, skip: fault.skip ?? 0, times: fault.times ?? 1 });
    },
    heal() {
      faults.length = 0;
    },
    hold(operation, path) {
      let release: (error?: Error) => void = () => {};
      const go = new Promise<void>((resolve, reject) => {
        release = (error) => (error ? reject(error) : resolve());
      });
      const reached = new Promise<string>((tell) => {
        holds.push({
          operation,
          path,
          stop(at) {
            tell(at);
            return go;
          },
        });
      });
      return { reached, release: (error) => release(error) };
    },
    setQuota(bytes) {
      quota = bytes;
    },
    async meet(operation, path) {
      const at = holds.findIndex((hold) => hold.operation === operation && matches(path, hold.path));
      if (at >= 0) for (const hold of holds.splice(at, 1)) await hold.stop(path);
      // A browser answers later, never inside the call.
      else await undefined;
      meetNow(operation, path);
    },
    meetNow,
    takeRoom(bytes) {
      if (roomFor(bytes) < bytes) throw new DOMException('No room is left.', 'QuotaExceededError');
      takenBytes += bytes;
    },
    giveRoomBack(bytes) {
      takenBytes -= bytes;
    },
    roomFor,
  };
}

function matches(path: string, wanted: string | RegExp | undefined): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? path.endsWith(wanted) : wanted.test(path);
}
