import type pg from 'pg';
import type { SqlResult, SqlStatement } from '../../core/ports.ts';
import { safeTypes } from './safe-types.ts';

export interface SendOptions {
  /** Send names, so that the server keeps the plan. */
  readonly prepare: boolean;
  /** After this long the connection counts as dead. */
  readonly timeoutMs: number;
}

export type DriverResult<Row> = SqlResult<Row> & { readonly command: string };

/**
 * Sends one statement and calls back. Callbacks and not promises, because this is the hot path: one promise per
 * call is made by the caller.
 */
export function sendStatement<Row>(
  client: pg.ClientBase,
  { text, values, name }: SqlStatement,
  { prepare, timeoutMs }: SendOptions,
  done: (error: Error | null | undefined, result: DriverResult<Row>) => void,
): void {
  // `query_timeout` is understood by the driver and missing in its types.
  const config: pg.QueryConfig & { readonly query_timeout: number } = {
    text,
    values: values as unknown[],
    name: prepare ? name : undefined,
    types: safeTypes,
    query_timeout: timeoutMs,
  };
  // A driver result is a SqlResult but for `rowCount`, which is null for statements that count nothing.
  void client.query(config, done as unknown as (error: Error, result: pg.QueryResult) => void);
}
