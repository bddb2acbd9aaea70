/**
 * The keeper in the dedicated worker, as the page sees it. Calls that wait for an answer are sent again to the next
 * worker after `stop`: every one of them may be repeated. Where no worker can be had (`new Worker` throws, only an
 * `error` event comes, as under a Content-Security-Policy, or nothing at all), the same calls go to a keeper on the
 * page.
 */
import type { Clock } from '../../core/ports.ts';
import type { KeeperReport, RecordKeeper } from './record-keeper.ts';

export interface WorkerCall {
  readonly id: number;
  readonly name: keyof RecordKeeper;
  readonly args: readonly unknown[];
}

/** An answer, a report, or the greeting, which has nothing in it. */
export interface WorkerMessage {
  readonly id?: number;
  readonly answer?: unknown;
  readonly report?: KeeperReport;
}

export interface WorkerKeeperParts {
  readonly start: () => Worker;
  readonly onPage: () => RecordKeeper;
  readonly report: (report: KeeperReport) => void;
  readonly clock: Clock;
}

export interface StoppableKeeper extends RecordKeeper {
  /** Ends the worker, and with it whatever it held open. The next call, or `resume`, starts another. */
  stop(): void;
  /** Sends again what `stop` left unanswered. */
  resume(): void;
}

/** A worker that says nothing for so long will not come. */
const silentMs = 4000;

export function createWorkerKeeper({ start, onPage, report, clock }: WorkerKeeperParts): StoppableKeeper {
  const waiting = new Map<number, WorkerCall & { readonly done: (answer: unknown) => void }>();
  let worker: Worker | undefined;
  let page: RecordKeeper | undefined;
  let ready = false;
  let lastId = 0;

  function send({ id, name, args }: WorkerCall): void {
    if (page) {
      const method = page[name] as (...args: readonly unknown[]) => Promise<unknown>;
      void method(...args).then((answer) => settle(id, answer));
    } else if (ready) worker?.postMessage({ id, name, args });
  }
  function settle(id: number, answer: unknown): void {
    const call = waiting.get(id);
    waiting.delete(id);
    call?.done(answer);
  }
  function resume(): void {
    if (worker || page) return;
    const giveUp = (): void => {
      stop();
      page = onPage();
      waiting.forEach(send);
    };
    try {
      worker = start();
    } catch {
      giveUp();
      return;
    }
    const timer = clock.after(silentMs, giveUp);
    worker.onerror = () => {
      timer.cancel();
      if (!ready) giveUp();
    };
    worker.onmessage = ({ data }: { readonly data: WorkerMessage }) => {
      if (data.report) report(data.report);
      else if (data.id) settle(data.id, data.answer);
      else {
        timer.cancel();
        ready = true;
        waiting.forEach(send);
      }
    };
  }
  function stop(): void {
    worker?.terminate();
    worker = undefined;
    ready = false;
  }
  const call =
    (name: keyof RecordKeeper) =>
    (...args: readonly unknown[]): Promise<never> =>
      new Promise((done) => {
        const made = { id: ++lastId, name, args, done: done as (answer: unknown) => void };
        waiting.set(made.id, made);
        resume();
        if (ready || page) send(made);
      });
  return {
    acquire: call('acquire'),
    renew: call('renew'),
    release: call('release'),
    read: call('read'),
    enter: call('enter'),
    leave: call('leave'),
    beat: call('beat'),
    stop,
    resume,
  };
}
