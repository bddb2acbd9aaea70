/**
 * Drops connections whose statement has no answer in time. One timer looks after all of them: a timer per statement
 * costs 6 µs, more than the rest of our work for it.
 */
import type pg from 'pg';
import type { Clock, Timer } from '../../core/ports.ts';
import { cutClient } from './end-client.ts';

export interface WatchedStatement {
  readonly client: pg.ClientBase;
  readonly sinceMs: number;
  /** It was given up. */
  late: boolean;
}

export interface StatementWatch {
  readonly timeoutMs: number;
  begin(client: pg.ClientBase): WatchedStatement;
  end(statement: WatchedStatement): void;
  /** Nothing will be sent any more. */
  close(): void;
}

export function statementWatch(clock: Clock, timeoutMs: number): StatementWatch {
  const underWay = new Set<WatchedStatement>();
  const periodMs = Math.min(1_000, timeoutMs / 4);
  let timer: Timer | undefined;

  const look = (): void => {
    timer = undefined;
    const beforeMs = clock.monotonicMs() - timeoutMs;
    for (const statement of underWay) {
      if (statement.sinceMs > beforeMs) continue;
      underWay.delete(statement);
      statement.late = true;
      cutClient(statement.client);
    }
    if (underWay.size > 0) arm();
  };
  const arm = (): void => {
    timer = clock.after(periodMs, look, { background: true });
  };

  return {
    timeoutMs,
    begin(client) {
      const statement = { client, sinceMs: clock.monotonicMs(), late: false };
      underWay.add(statement);
      if (!timer) arm();
      return statement;
    },
    end(statement) {
      underWay.delete(statement);
    },
    close() {
      timer?.cancel();
    },
  };
}
