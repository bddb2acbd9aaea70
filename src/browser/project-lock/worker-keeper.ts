/**
 * The keeper in the dedicated worker, as the page sees it. Calls that wait for an answer are sent again to the next
 * worker after `stop`: every one of them may be repeated. Where no worker can be had (`new Worker` throws, only an
 * `error` event comes, as under a Content-Security-Policy, or nothing at all), the same calls go to a keeper on the
 * page.
 */
import type { Clock, Timer } from '../../core/ports.ts';
import type { RecordKeeper, ReportAttempt } from './record-keeper.ts';
import type { RecordAnswer } from './record-mutex.ts';

/** Number, method and arguments. */
export type WorkerCall = readonly [id: number, name: keyof RecordKeeper, args: readonly unknown[]];

/** An answer, a report (0), or the greeting, which has nothing in it. */
export type WorkerMessage = readonly [id?: number, value?: unknown];

export interface WorkerKeeper {
  /** Calls this method of the keeper. */
  ask<Name extends keyof RecordKeeper>(
    name: Name,
    ...args: Parameters<RecordKeeper[Name]>
  ): ReturnType<RecordKeeper[Name]>;
  /** Ends the worker, and with it whatever it held open. The next call, or `resume`, starts another. */
  stop(): void;
  /** Sends again what `stop` left unanswered. */
  resume(): void;
}

/** A worker that says nothing for so long will not come. */
const silentMs = 4000;

export function createWorkerKeeper(
  start: () => Worker | undefined,
  onPage: () => Promise<RecordKeeper>,
  report: ReportAttempt,
  clock: Clock,
): WorkerKeeper {
  const waiting = new Map<number, readonly [call: WorkerCall, done: (answer: unknown) => void]>();
  let worker: Worker | undefined;
  /** There while somebody listens: the worker, or without one the page. */
  let send: ((call: WorkerCall) => void) | undefined;
  let timer: Timer | undefined;
  let lastId = 0;

  function settle(id: number, answer: unknown): void {
    waiting.get(id)?.[1](answer);
    waiting.delete(id);
  }
  function listen(sender: (call: WorkerCall) => void): void {
    timer?.cancel();
    send = sender;
    for (const [call] of waiting.values()) sender(call);
  }
  function giveUp(): void {
    stop();
    const page = onPage();
    listen(([id, name, args]) => {
      void page
        .then((keeper) => (keeper[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args))
        // It cannot be loaded: that is an answer as well.
        .catch((cause: unknown): RecordAnswer => [undefined, 'fallback-open-failed', cause])
        .then((answer) => settle(id, answer));
    });
  }
  function resume(): void {
    if (worker || send) return;
    try {
      worker = start();
    } catch {
      // Forbidden here: the page does it.
    }
    if (!worker) {
      giveUp();
      return;
    }
    timer = clock.after(silentMs, giveUp);
    worker.onerror = () => {
      if (!send) giveUp();
    };
    worker.onmessage = ({ data: [id, value] }: { readonly data: WorkerMessage }) => {
      if (id) settle(id, value);
      else if (value) report(...(value as Parameters<ReportAttempt>));
      else listen((call) => worker?.postMessage(call));
    };
  }
  function stop(): void {
    // A keeper on the page has nothing to end, and goes on when the page does.
    if (!worker) return;
    timer?.cancel();
    // What it has said and nobody has heard yet is no longer true: with the worker ends whatever it held.
    worker.onmessage = null;
    worker.terminate();
    worker = send = undefined;
  }
  return {
    stop,
    resume,
    ask: <Name extends keyof RecordKeeper>(name: Name, ...args: readonly unknown[]) =>
      new Promise<unknown>((done) => {
        resume();
        const call: WorkerCall = [++lastId, name, args];
        waiting.set(lastId, [call, done]);
        send?.(call);
      }) as ReturnType<RecordKeeper[Name]>,
  };
}
