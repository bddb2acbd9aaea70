/**
 * Tells the collector how the project lock fares: names, reasons, strategies, durations and the rollout phase.
 *
 *   - An event is only noted while the lock is at work, and read later, many at once: reading costs the lock nothing.
 *   - Events alike are counted together, so that a busy tab sends little.
 *   - Batches go out every `flushMs`, and by beacon when the page is hidden, since no other request survives that.
 *   - A batch that did not get through is sent again under its own id, which the collector stores once.
 *   - The buffer is bounded: the oldest goes first. Nothing here throws, waits for the network, or holds up the lock.
 */

import type { Platform } from '../../core/ports.ts';
import type { Phase } from '../../core/rollout/phase.ts';
import { platform as realPlatform } from '../../platform/browser.ts';
import { type LockEvent, type LockSignal, lockSignal } from './lock-signal.ts';

export interface PublisherOptions {
  /** The lock's own stream: `subscribeLockEvents`. */
  readonly subscribe: (listener: (event: LockEvent) => void) => { unsubscribe(): void };
  /** The phase this client is in. */
  readonly phase: Phase;
  /** @default '/api/v1/telemetry' */
  readonly url?: string;
  /** Time between two batches. From 1000. @default 10000 */
  readonly flushMs?: number;
  /** Counted signals kept while the collector cannot be reached. 1 to 1000. @default 200 */
  readonly maxSignals?: number;
  /** @default the page's own document, fetch and sendBeacon */
  readonly page?: PublisherPage;
  readonly platform?: Platform;
}

/** What the publisher needs of a page. */
export interface PublisherPage {
  /** Called when the page is hidden or left. Returns what ends it. */
  onHide(listener: () => void): () => void;
  /** True: the browser has taken it and will send it whatever becomes of the page. */
  beacon(url: string, body: string): boolean;
  /** True: the collector has answered that it need not come again. */
  post(url: string, body: string): Promise<boolean>;
}

export interface LockTelemetryPublisher {
  /** From now on events belong to another phase. */
  setPhase(phase: Phase): void;
  /** Sends what there is. Never rejects. */
  flush(): Promise<void>;
  /** Sends what there is by beacon and stops listening. */
  dispose(): void;
}

interface CountedSignal extends LockSignal {
  readonly atMs: number;
  count: number;
}

interface Batch {
  readonly id: string;
  readonly phase: Phase;
  readonly signals: readonly CountedSignal[];
}

/** An event as it came. */
interface Noted {
  readonly event: LockEvent;
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** The collector takes this many in one batch. */
const signalsPerBatch = 100;

/** So many events wait to be read, at most. */
const notedMax = 256;

export function publishLockTelemetry(options: PublisherOptions): LockTelemetryPublisher {
  const { subscribe, url = '/api/v1/telemetry', flushMs = 10_000, maxSignals = 200 } = options;
  const { platform = realPlatform, page = currentPage() } = options;
  const { clock, random } = platform;
  const session = random.hex(16);
  let phase = options.phase;
  let noted: Noted[] = [];
  let counted = new Map<string, CountedSignal>();
  let unsent: Batch[] = [];
  let sending: Promise<void> | undefined;
  let timer: { cancel(): void } | undefined;
  let firstAttemptMs: number | undefined;
  let lines = 0;
  let disposed = false;

  const note = (event: LockEvent): void => {
    noted.push({ event, wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() });
    if (noted.length >= notedMax) readNoted();
    timer ??= clock.after(flushMs, () => void flush(), { background: true });
  };

  const readNoted = (): void => {
    const events = noted;
    noted = [];
    for (const one of events) {
      try {
        count(one);
      } catch {
        // An event that cannot be read is not counted; those after it are.
      }
    }
    forgetSurplus();
  };

  const count = ({ event, wallMs, monotonicMs }: Noted): void => {
    const signal = lockSignal(event);
    if (!signal) return;
    const timed = { ...signal, ...acquireTime(event, monotonicMs) };
    // A duration or a reason is worth a line of its own; the rest is counted.
    const alike = 'durationMs' in timed || 'reason' in timed ? `${++lines}` : JSON.stringify(timed);
    const known = counted.get(alike);
    if (known) known.count++;
    else counted.set(alike, { ...timed, atMs: wallMs, count: 1 });
  };

  const acquireTime = (event: LockEvent, nowMs: number): { durationMs?: number } => {
    if (event.type === 'lock:attempt' && event.operation === 'acquire') firstAttemptMs ??= nowMs;
    if (event.type === 'lock:readonly-entered') firstAttemptMs = undefined;
    if (event.type !== 'lock:acquired' || firstAttemptMs === undefined) return {};
    const durationMs = Math.min(Math.max(nowMs - firstAttemptMs, 0), 3_600_000);
    firstAttemptMs = undefined;
    return { durationMs };
  };

  const forgetSurplus = (): void => {
    let surplus = counted.size + unsent.reduce((sum, { signals }) => sum + signals.length, 0) - maxSignals;
    while (surplus > 0 && unsent.length > 0) surplus -= unsent.shift()?.signals.length ?? 0;
    for (const alike of counted.keys()) {
      if (surplus-- <= 0) break;
      counted.delete(alike);
    }
  };

  /** Closes what was counted into batches; a batch never changes afterwards, so that it can be sent twice. */
  const closeBatches = (): void => {
    timer?.cancel();
    timer = undefined;
    readNoted();
    const signals = [...counted.values()];
    counted = new Map();
    for (let i = 0; i < signals.length; i += signalsPerBatch)
      unsent.push({ id: random.hex(16), phase, signals: signals.slice(i, i + signalsPerBatch) });
  };

  const bodyOf = ({ id, phase, signals }: Batch): string =>
    JSON.stringify({ id, session, phase, sentAtMs: clock.wallMs(), events: signals });

  const sendAll = async (): Promise<void> => {
    while (unsent.length > 0) {
      const [batch] = unsent;
      if (!batch) return;
      const done = await page.post(url, bodyOf(batch)).catch(() => false);
      if (!done) {
        timer ??= disposed ? undefined : clock.after(flushMs, () => void flush(), { background: true });
        return;
      }
      unsent = unsent.filter((other) => other !== batch);
    }
  };

  const flush = async (): Promise<void> => {
    closeBatches();
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    await sending;
  };

  const sendByBeacon = (): void => {
    closeBatches();
    try {
      unsent = unsent.filter((batch) => !page.beacon(url, bodyOf(batch)));
    } catch {
      // A browser may refuse a beacon by throwing; what is unsent stays for the next flush.
    }
  };

  const subscription = subscribe((event) => {
    try {
      if (!disposed) note(event);
    } catch {
      // Telemetry must never be the reason that a lock event is not handled.
    }
  });
  const stopHiding = page.onHide(sendByBeacon);

  return {
    setPhase(next) {
      if (next === phase) return;
      closeBatches();
      phase = next;
      if (unsent.length > 0) void flush();
    },
    flush,
    dispose() {
      if (disposed) return;
      disposed = true;
      subscription.unsubscribe();
      stopHiding();
      sendByBeacon();
      timer?.cancel();
      timer = undefined;
    },
  };
}

function currentPage(): PublisherPage {
  return {
    onHide(listener) {
      const onChange = (): void => {
        if (document.visibilityState === 'hidden') listener();
      };
      document.addEventListener('visibilitychange', onChange);
      addEventListener('pagehide', listener);
      return () => {
        document.removeEventListener('visibilitychange', onChange);
        removeEventListener('pagehide', listener);
      };
    },
    beacon: (url, body) => navigator.sendBeacon(url, new Blob([body], { type: 'application/json' })),
    async post(url, body) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body, keepalive: true });
      // A batch the collector calls wrong is wrong the next time, too.
      return response.ok || (response.status >= 400 && response.status < 500 && response.status !== 429);
    },
  };
}
