/**
 * What can go wrong between a client and a provider, planned by a test:
 *
 *   drop-before   the connection breaks, nothing was done       drop-after   it was done, the answer is lost
 *   hang-before   it waits, its key in use, until released      hang-after   it was done, the answer never comes
 *   conflict      409: another request holds the object         error        500, nothing was done, remembered
 *   error-after   500 although it was done, remembered
 */
export type FaultPoint =
  | 'drop-before'
  | 'drop-after'
  | 'hang-before'
  | 'hang-after'
  | 'conflict'
  | 'error'
  | 'error-after';

export interface PlannedFault {
  readonly point: FaultPoint;
  /** Which requests it hits. @default any */
  readonly method?: 'GET' | 'POST';
  /** Found in the path. @default any */
  readonly path?: string;
  /** How many requests it hits. @default 1 */
  readonly times?: number;
}

export interface ProviderFaults {
  add(fault: PlannedFault): void;
  /** Nothing goes wrong any more; what hangs, hangs on. */
  clear(): void;
  /** The fault of this request, used up. */
  take(request: { readonly method: string; readonly path: string }): FaultPoint | undefined;
  /** Waits until `releaseHung`. */
  hang(): Promise<void>;
  /** What hangs before its work goes on, whether or not its client still waits. */
  releaseHung(): void;
}

export function providerFaults(): ProviderFaults {
  let planned: { readonly fault: PlannedFault; left: number }[] = [];
  let hung: (() => void)[] = [];
  return {
    add(fault) {
      planned.push({ fault, left: fault.times ?? 1 });
    },
    clear() {
      planned = [];
    },
    take({ method, path }) {
      const hit = planned.find(
        ({ fault, left }) =>
          left > 0 && (fault.method ?? method) === method && (fault.path === undefined || path.includes(fault.path)),
      );
      if (hit) hit.left--;
      return hit?.fault.point;
    },
    hang: () => new Promise((resolve) => hung.push(resolve)),
    releaseHung() {
      const released = hung;
      hung = [];
      for (const release of released) release();
    },
  };
}
