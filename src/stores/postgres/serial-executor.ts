import type pg from 'pg';
import { LeaseError } from '../../core/errors.ts';
import type { SqlExecutor, SqlStatement } from '../../core/ports.ts';
import type { DriverResult } from './driver-result.ts';
import { type SendOptions, sendStatement } from './send-statement.ts';

export interface SerialExecutor extends SqlExecutor {
  query<Row = Record<string, unknown>>(statement: SqlStatement): Promise<DriverResult<Row>>;
  /** From now on every query is refused: the connection went back to the pool. */
  end(): void;
}

/** One connection, one statement at a time, in the order of the calls. */
export function serialExecutor(
  client: pg.ClientBase,
  options: SendOptions,
  explain: (error: unknown) => unknown,
): SerialExecutor {
  let tail: Promise<unknown> = Promise.resolve();
  let ended = false;
  return {
    query<Row>(statement: SqlStatement): Promise<DriverResult<Row>> {
      if (ended) {
        return Promise.reject(
          new LeaseError('This transaction or session is over; use the database itself, or begin a new one.', {
            code: 'closed',
          }),
        );
      }
      const result = tail.then(
        () =>
          new Promise<DriverResult<Row>>((resolve, reject) => {
            sendStatement<Row>(client, statement, options, (error, reply) => {
              if (error) reject(explain(error));
              else resolve(reply);
            });
          }),
      );
      tail = result.catch(() => undefined);
      return result;
    },
    end() {
      ended = true;
    },
  };
}
