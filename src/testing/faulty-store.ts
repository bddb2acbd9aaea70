/**
 * A store behind a bad link. The wrapper stands between one client and any store: requests and replies get lost, late,
 * doubled or stuck as a plan says, and every call is recorded for the checkers. The store itself stays correct; a
 * store that forgets is `crashingMemoryStore`.
 */
import { platform } from '#platform';
import { LeaseError } from '../core/errors.ts';
import type { Clock, LeaseStore, Notice } from '../core/ports.ts';
import type { CallFault, FaultPlan } from './fault-plan.ts';
import type { StoreCall, StoreCalls, StoreOperation } from './store-history.ts';

export interface FaultyStoreOptions {
  readonly store: LeaseStore;
  /** Times faults and history: one clock for all clients of a test. @default the platform's */
  readonly clock?: Clock;
  /** @default no faults, until `hang` */
  readonly plan?: FaultPlan;
  /** The client's name in the history. @default 'client' */
  readonly process?: string;
  /** Where calls are recorded; several clients may share one list. @default a list of its own */
  readonly history?: StoreCall[];
}

export interface FaultyStore extends LeaseStore {
  /** Every call in the order of sending. */
  readonly history: readonly StoreCall[];
  /** From now on every call and every notice hangs. */
  hang(): void;
  /** Everything that hangs goes on, in order. */
  resume(): void;
  /** How many calls hang now. */
  hanging(): number;
}

interface Stuck {
  goOn(): void;
  fail(error: unknown): void;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Puts a bad link in front of a store. Closing it closes the store, and ends what hangs. */
export function faultyStore(options: FaultyStoreOptions): FaultyStore {
  const { store, clock = platform.clock, plan = {}, process = 'client', history = [] } = options;
  let calls = 0;
  let hung = false;
  let closed = false;
  const parked = new Set<Stuck>();
  const abandoned = new Set<Stuck>();

  const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  const stick = (where: Set<Stuck>): Promise<void> =>
    new Promise((goOn, fail) => {
      if (closed) fail(closedError());
      else where.add({ goOn, fail });
    });
  const park = (): Promise<void> => stick(parked);
  const unavailable = (op: string): LeaseError =>
    new LeaseError(`The answer to ${op} did not come back; whether it was carried out is unknown. Try again.`, {
      code: 'store-unavailable',
      retryable: true,
    });
  /** What a client sees when an answer is lost: an error in the end, or nothing, ever. */
  const noAnswer = async (op: string, sentAtMs: number, errorMs: number | undefined): Promise<never> => {
    if (errorMs === undefined) await stick(abandoned);
    else await pause(Math.max(0, sentAtMs + errorMs - clock.monotonicMs()));
    throw unavailable(op);
  };

  async function send<Op extends StoreOperation>(
    op: Op,
    request: StoreCalls[Op]['request'],
    execute: () => Promise<StoreCalls[Op]['reply']>,
  ): Promise<StoreCalls[Op]['reply']> {
    const sentAtMs = clock.monotonicMs();
    const executedAtMs: number[] = [];
    const call = { op, request, sentAtMs, executedAtMs, process } as Mutable<StoreCall>;
    history.push(call);
    calls += 1;
    const fault: CallFault | undefined = plan.call?.({ op, request, process, n: calls });
    const run = (): Promise<StoreCalls[Op]['reply']> => {
      executedAtMs.push(clock.monotonicMs());
      return execute();
    };
    try {
      const reply = await carryOut(op, fault, sentAtMs, run);
      call.reply = reply;
      call.repliedAtMs = clock.monotonicMs();
      return reply;
    } catch (error) {
      call.error = error;
      call.repliedAtMs = clock.monotonicMs();
      throw error;
    }
  }

  async function carryOut<T>(
    op: string,
    fault: CallFault | undefined,
    sentAtMs: number,
    run: () => Promise<T>,
  ): Promise<T> {
    if (hung || (fault?.kind === 'hang' && fault.at === 'request')) await park();
    if (fault?.kind === 'lost-request') return noAnswer(op, sentAtMs, fault.errorMs);
    if (fault?.kind === 'delay' && fault.requestMs) await pause(fault.requestMs);
    const reply = await run();
    if (fault?.kind === 'lost-reply') return noAnswer(op, sentAtMs, fault.errorMs);
    // Nobody waits for the second execution; a failure of it is nobody's.
    if (fault?.kind === 'duplicate') clock.after(fault.againMs, () => void run().catch(() => undefined));
    if (fault?.kind === 'delay' && fault.replyMs) await pause(fault.replyMs);
    if (hung || (fault?.kind === 'hang' && fault.at === 'reply')) await park();
    return reply;
  }

  const deliver = (notice: Notice, hear: (notice: Notice) => void): void => {
    const fault = plan.notice?.(notice);
    if (hung)
      void park().then(
        () => hear(notice),
        () => undefined,
      );
    else if (fault?.kind === 'late') clock.after(fault.ms, () => hear(notice));
    else if (fault?.kind !== 'lost') hear(notice);
    if (fault?.kind === 'doubled') clock.after(fault.againMs, () => hear(notice));
  };

  return {
    name: `faulty ${store.name}`,
    capabilities: store.capabilities,
    ...(store.schema && { schema: store.schema }),
    history,
    hang() {
      hung = true;
    },
    resume() {
      hung = false;
      for (const waiting of parked) waiting.goOn();
      parked.clear();
    },
    hanging: () => parked.size,
    acquire: (request) => send('acquire', request, () => store.acquire(request)),
    acquireAll: (request) => send('acquireAll', request, () => store.acquireAll(request)),
    breakLease: (request) => send('breakLease', request, () => store.breakLease(request)),
    claim: (request) => send('claim', request, () => store.claim(request)),
    explainLoss: (request) => send('explainLoss', request, () => store.explainLoss(request)),
    leave: (request) => send('leave', request, () => store.leave(request)),
    list: (request) => send('list', request, () => store.list(request)),
    release: (request) => send('release', request, () => store.release(request)),
    renew: (requests) => send('renew', requests, () => store.renew(requests)),
    async subscribe(forProcess, onNotice) {
      if (hung) await park();
      return store.subscribe(forProcess, (notice) => deliver(notice, onNotice));
    },
    ...(store.watch && { watch: store.watch }),
    async close() {
      closed = true;
      for (const waiting of [...parked, ...abandoned]) waiting.fail(closedError());
      parked.clear();
      abandoned.clear();
      await store.close();
    },
  };
}

function closedError(): LeaseError {
  return new LeaseError('This store was closed while the call was under way.', { code: 'closed' });
}
