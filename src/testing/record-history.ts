/**
 * Clients that contend for a few keys and write down what they see, for the linearizability checker. They are not
 * nice: they let leases end, repeat requests, renew and release what is not theirs, and now and then break a lease.
 */
import { grantId } from '../core/grant-id.ts';
import type { Clock, LeaseStore, Notice } from '../core/ports.ts';
import { eventProbe } from './event-probe.ts';
import { faultyStore } from './faulty-store.ts';
import { type LeaseOperation, leaseOperations, noticeOperation } from './lease-operation.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { StoreCall } from './store-history.ts';

export interface RecordHistoryOptions {
  /** One store per client; the same store may appear several times. They are not closed. */
  readonly stores: readonly LeaseStore[];
  readonly clock: Clock;
  readonly random: SeededRandom;
  /** Few, so that clients meet. */
  readonly keys: readonly string[];
  /** Attempts of each client; every attempt is some three operations. */
  readonly attempts: number;
  /** Short, so that leases end while the clients work. */
  readonly ttlMs: number;
}

type Granted = Notice & { readonly kind: 'granted' };

/** Lets the clients loose and returns what they saw. */
export async function recordHistory(options: RecordHistoryOptions): Promise<readonly LeaseOperation[]> {
  const calls: StoreCall[] = [];
  const notices: LeaseOperation[] = [];
  await Promise.all(options.stores.map((store, i) => runClient(options, store, i, calls, notices)));
  return [...leaseOperations(calls), ...notices];
}

async function runClient(
  options: RecordHistoryOptions,
  inner: LeaseStore,
  i: number,
  history: StoreCall[],
  notices: LeaseOperation[],
): Promise<void> {
  const { clock, keys, attempts, ttlMs } = options;
  const random = options.random.fork(`client ${i}`);
  const process = `${random.hex(4)}${i}`;
  // No faults: the wrapper is here for its record.
  const store = faultyStore({ store: inner, clock, process, history });
  const heard = eventProbe<Granted>();
  const hasLine = store.capabilities.line === true;
  const subscription = hasLine
    ? await store.subscribe(process, (notice) => {
        if (notice.kind !== 'granted' || !keys.includes(notice.key)) return;
        notices.push(noticeOperation(notice, clock.monotonicMs()));
        heard.record(notice);
      })
    : undefined;
  const pause = (ms: number): Promise<'over'> =>
    new Promise((resolve) => clock.after(ms, () => resolve('over'), { background: true }));
  const acceptMs = Math.ceil(ttlMs / 2);

  /** Waits in line for a while; undefined = gave up, and gave back what came meanwhile. */
  const waitInLine = async (key: string, owner: string): Promise<number | undefined> => {
    const notice = await Promise.race([
      heard.next((told) => told.owner === owner),
      pause(random.integer(0, ttlMs / 2)),
    ]);
    if (notice !== 'over') return notice.lastToken;
    if (!(await store.leave({ key, owner }))) await store.release({ key, owner, token: null, acceptMs });
    return undefined;
  };
  const use = async (key: string, owner: string, token: number): Promise<void> => {
    for (let renewals = random.integer(0, 2); renewals > 0; renewals--) {
      await pause(random.integer(0, ttlMs / 10));
      await store.renew([{ key, owner, token, ttlMs }]);
    }
    if (random.chance(0.1)) await store.renew([{ key, owner, token: token - 1, ttlMs }]);
    if (random.chance(0.1)) await store.acquire({ key, owner, ttlMs, line: false });
    if (random.chance(0.1)) await store.release({ key, owner: grantId(process, 0, 'stranger'), token, acceptMs });
    // Sometimes it sleeps past its end and goes on as if nothing were, sometimes it never comes back.
    if (random.chance(0.15)) {
      await pause(random.integer(ttlMs / 2, ttlMs * 1.5));
      if (random.chance(0.5)) await store.renew([{ key, owner, token, ttlMs }]);
    }
    if (random.chance(0.85)) await store.release({ key, owner, token, acceptMs });
  };

  for (let attempt = 1; attempt <= attempts; attempt++) {
    const key = random.pick(keys);
    const owner = grantId(process, attempt, 'client');
    const reply = await store.acquire({ key, owner, ttlMs, line: hasLine && random.chance(0.4) });
    const token = reply.granted ? reply.lastToken : reply.inLine ? await waitInLine(key, owner) : undefined;
    if (token !== undefined) await use(key, owner, token);
    else await pause(random.integer(0, ttlMs / 4));
    if (random.chance(0.03)) await store.breakLease({ key, reason: 'chance', by: process, acceptMs });
  }
  await subscription?.close();
}
