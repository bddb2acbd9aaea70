import { platform } from '#platform';
import { grantId } from '../core/grant-id.ts';
import type { Clock, LeaseCapabilities, LeaseStore } from '../core/ports.ts';

/** What a runner lends to a case. */
export interface CaseContext {
  /** Another client of the same data, as another process would be. The runner closes it after the case. */
  openStore(): Promise<LeaseStore>;
  /** The real clock: cases that end a lease wait for the store's own. */
  readonly clock: Clock;
  /** A key nobody else uses. */
  freshKey(hint: string): string;
  /** The TTL of leases that must end during a case. 300 ms or more. */
  readonly ttlMs: number;
  /** Ends every client and the store itself and brings it back. Absent: there is nothing that survives. */
  restart?(): Promise<void>;
  /** Forgets the record of an idle key, as the store's own sweep would. Absent: it has none, or sweeps by itself. */
  forget?(key: string): Promise<void>;
}

export interface StoreCase<Context> {
  readonly name: string;
  /** Cases of one theme stand together in a report. */
  readonly theme: string;
  /** Left out, with the store's own reason, where one of these is declared missing. */
  readonly needs?: readonly (keyof LeaseCapabilities)[];
  /** It calls `restart` or `forget`: left out where the runner has none, and run while no other case runs. */
  readonly uses?: 'restart' | 'forget';
  run(context: Context): Promise<void>;
}

/** A case over the store itself. */
export type LeaseStoreCase = StoreCase<CaseContext>;

/** Somebody who asks: a process of its own that makes grant ids. */
interface Contender {
  readonly process: string;
  newOwner(): string;
}

export function newContender(name = 'case'): Contender {
  const process = platform.random.hex(6);
  let n = 0;
  return { process, newOwner: () => grantId(process, ++n, name) };
}

/** Long enough that nothing ends by itself during a case. */
export const longMs = 60_000;

/** How long a hand-over lasts where a case does not care. */
export const acceptMs = 2_000;

/** Waits for time to pass. Only leases that must end are a reason. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** Asks again and again until there is an answer; throws when `withinMs` is over. */
export async function eventually<T>(
  clock: Clock,
  withinMs: number,
  what: string,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const untilMs = clock.monotonicMs() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (clock.monotonicMs() > untilMs) throw new Error(`${what} did not happen within ${withinMs} ms`);
    await pause(clock, 20);
  }
}

/** The answer to `work`, or an error that says what did not come. */
export async function within<T>(clock: Clock, ms: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => reject(new Error(`${what} did not come within ${ms} ms`)));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}

/**
 * Runs a case that is about time. When it fails although the machine itself was late, it proves nothing: it is run
 * again, up to five times. Late is a timer, or whatever the case reports by `took`, by more than `lateMs`.
 */
export async function onTime(
  clock: Clock,
  lateMs: number,
  attempt: (took: (ms: number) => void) => Promise<void>,
): Promise<void> {
  for (let left = 5; ; left--) {
    let worstMs = 0;
    const watch = watchLateness(clock);
    try {
      await attempt((ms) => {
        worstMs = Math.max(worstMs, ms);
      });
      return;
    } catch (error) {
      if (left <= 1 || Math.max(worstMs, watch.worstMs()) <= lateMs) throw error;
    } finally {
      watch.stop();
    }
  }
}

function watchLateness(clock: Clock): { worstMs(): number; stop(): void } {
  const everyMs = 10;
  let worstMs = 0;
  let dueMs = 0;
  const set = (): { cancel(): void } => {
    dueMs = clock.monotonicMs() + everyMs;
    return clock.after(everyMs, () => {
      worstMs = Math.max(worstMs, clock.monotonicMs() - dueMs);
      timer = set();
    });
  };
  let timer = set();
  return { worstMs: () => Math.max(worstMs, clock.monotonicMs() - dueMs), stop: () => timer.cancel() };
}
