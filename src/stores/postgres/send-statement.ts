import type pg from 'pg';
import type { SqlStatement } from '../../core/ports.ts';
import type { DriverResult } from './driver-result.ts';
import { plainValues, preparedQuery } from './prepared-query.ts';
import { safeTypes } from './safe-types.ts';
import type { StatementWatch } from './statement-watch.ts';

export interface SendOptions {
  /** Send names, so that the server keeps the plan. */
  readonly prepare: boolean;
  /** Connections are our own, so that the driver's wire may be used directly. */
  readonly direct: boolean;
  readonly watch: StatementWatch;
}

/**
 * Sends one statement and calls back. Callbacks and not promises, because this is the hot path: one promise per
 * call is made by the caller.
 */
export function sendStatement<Row>(
  client: pg.ClientBase,
  statement: SqlStatement,
  { prepare, direct, watch }: SendOptions,
  done: (error: Error | undefined, result: DriverResult<Row>) => void,
): void {
  const watched = watch.begin(client);
  const finish = (error: Error | null | undefined, result: DriverResult<Row>): void => {
    watch.end(watched);
    if (watched.late) done(new Error(`no answer within ${watch.timeoutMs} ms`, { cause: error }), result);
    else done(error ?? undefined, result);
  };
  const { text, name, values = [] } = statement;
  const plain = prepare && direct && name !== undefined ? plainValues(values) : undefined;
  if (plain && name !== undefined) {
    client.query(preparedQuery<Row>({ text, name }, plain, finish));
    return;
  }
  const config: pg.QueryConfig = {
    text,
    values: values as unknown[],
    name: prepare ? name : undefined,
    types: safeTypes,
  };
  void client.query(config, (error: Error | undefined, result: pg.QueryResult) => {
    finish(error, error ? nothing : { rows: result.rows, rowCount: result.rowCount ?? 0, command: result.command });
  });
}

const nothing: DriverResult<never> = { rows: [], rowCount: 0, command: '' };
