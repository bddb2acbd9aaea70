/**
 * `withSlotLock`: one at a time per slot, on both engines. It is a courtesy that keeps crowds away from each other; what
 * excludes is the slot's unique index.
 *
 *   In this process   a queue per slot, on every engine
 *   Between them      on PostgreSQL an advisory lock on the 64-bit hash of `slot:YYYY-MM-DD:n`
 *
 * All advisory locks of this process are held by one dedicated connection, and taken and given back on it: a pooled
 * connection would give them back on another session, where they are not held. It is borrowed with the first lock and
 * returned after the last. The lock is tried again until the time is over, never waited for inside the server, so that
 * one crowded slot does not block the others. A process that dies drops its connection, and with it its locks.
 */

import { platform } from '#platform';
import type { Clock, FlowContext, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { AppError } from './app-error.ts';
import { checkDay } from './calendar.ts';

export type WithSlotLock = <T>(date: string, slotNumber: number, fn: () => Promise<T>) => Promise<T>;

export interface SlotLockOptions {
  readonly database: SqlDatabase;
  /** From 1. @default 5000 */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const pauseMinMs = 5;
const pauseMaxMs = 50;

export function createSlotLock(options: SlotLockOptions): WithSlotLock {
  const { database, timeoutMs = 5_000, clock = platform.clock } = options;
  const held: FlowContext<ReadonlySet<string>> | undefined = platform.createFlowContext?.();
  const queues = new Map<string, Promise<void>>();
  const session = dedicatedSession(database);

  const acquire = async (key: string, deadlineMs: number): Promise<void> => {
    let pauseMs = pauseMinMs;
    while (!(await session.tryLock(key))) {
      if (clock.monotonicMs() + pauseMs > deadlineMs) throw timedOut(key, timeoutMs);
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
      pauseMs = Math.min(pauseMs * 2, pauseMaxMs);
    }
  };

  return async <T>(date: string, slotNumber: number, fn: () => Promise<T>): Promise<T> => {
    const key = `slot:${checkDay(date)}:${slotNumber}`;
    const mine = held?.get() ?? new Set<string>();
    if (mine.has(key)) {
      throw new AppError(`${key} is already locked by this flow of control; waiting for it would never end.`, {
        code: 'LOCK_REENTRY',
      });
    }
    const deadlineMs = clock.monotonicMs() + timeoutMs;
    const leave = await queueUp(queues, key, clock, timeoutMs);
    try {
      if (!database.capabilities.concurrent) return await run(held, mine, key, fn);
      await acquire(key, deadlineMs);
      try {
        return await run(held, mine, key, fn);
      } finally {
        await session.unlock(key);
      }
    } finally {
      leave();
    }
  };
}

function run<T>(
  held: FlowContext<ReadonlySet<string>> | undefined,
  mine: ReadonlySet<string>,
  key: string,
  fn: () => Promise<T>,
): Promise<T> {
  return held ? held.run(new Set([...mine, key]), fn) : fn();
}

/** Waits for those before us in this process; returns how to leave. */
async function queueUp(
  queues: Map<string, Promise<void>>,
  key: string,
  clock: Clock,
  timeoutMs: number,
): Promise<() => void> {
  const before = queues.get(key) ?? Promise.resolve();
  let leave = (): void => {};
  const ours = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const tail = before.then(() => ours);
  queues.set(key, tail);
  void tail.then(() => {
    if (queues.get(key) === tail) queues.delete(key);
  });
  const inTime = await new Promise<boolean>((resolve) => {
    const timer = clock.after(timeoutMs, () => resolve(false));
    void before.then(() => {
      timer.cancel();
      resolve(true);
    });
  });
  if (inTime) return leave;
  leave();
  throw timedOut(key, timeoutMs);
}

/** One connection for every lock of this process, borrowed while there is any. */
function dedicatedSession(database: SqlDatabase): {
  tryLock(key: string): Promise<boolean>;
  unlock(key: string): Promise<void>;
} {
  let users = 0;
  let connection: Promise<SqlExecutor> | undefined;
  let giveBack: (() => void) | undefined;

  const borrow = (): Promise<SqlExecutor> => {
    users++;
    connection ??= new Promise<SqlExecutor>((resolve, reject) => {
      database
        .session(
          (lent) =>
            new Promise<void>((end) => {
              giveBack = end;
              resolve(lent);
            }),
        )
        .catch(reject);
    });
    return connection;
  };
  const leave = (): void => {
    users--;
    if (users > 0) return;
    giveBack?.();
    connection = undefined;
    giveBack = undefined;
  };

  return {
    async tryLock(key) {
      let locked = false;
      try {
        const { rows } = await (await borrow()).query<{ locked: boolean }>({
          text: 'select pg_try_advisory_lock(hashtextextended($1::text, 0)) as locked',
          values: [key],
        });
        locked = rows[0]?.locked ?? false;
      } finally {
        // A lock keeps its place on the connection until it is unlocked.
        if (!locked) leave();
      }
      return locked;
    },
    async unlock(key) {
      try {
        await (await connection)?.query({
          text: 'select pg_advisory_unlock(hashtextextended($1::text, 0))',
          values: [key],
        });
      } catch {
        // The connection is gone, and the lock with it.
      } finally {
        leave();
      }
    },
  };
}

function timedOut(key: string, timeoutMs: number): AppError {
  return new AppError(`${key} was not free within ${timeoutMs} ms; try again.`, {
    code: 'LOCK_TIMEOUT',
    retryable: true,
  });
}
