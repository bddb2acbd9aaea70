/**
 * A PostgreSQL server (15 or newer) as a SqlDatabase: a pool for statements and transactions, and beside it one
 * direct connection for LISTEN and renewals. A broken connection is dropped and told as `store-unavailable`; it
 * never becomes an uncaught error event.
 */

import pg from 'pg';
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { SqlDatabase, SqlExecutor, SqlResult, SqlStatement } from '../../core/ports.ts';
import { quoteSchema } from '../../sql/schema-name.ts';
import { controlConnection } from './control-connection.ts';
import { breaksConnection, explainDriverError } from './driver-errors.ts';
import { goodbyeMs } from './end-client.ts';
import { lendConnections } from './lend-connections.ts';
import { sendStatement } from './send-statement.ts';
import { type SerialExecutor, serialExecutor } from './serial-executor.ts';
import { statementWatch } from './statement-watch.ts';

export interface PostgresDatabaseOptions {
  /** `postgres://user:password@host:port/database`. Give this or `pool`. */
  readonly connectionString?: string;
  /** A pool of your own; it stays open when the database is closed. */
  readonly pool?: pg.Pool;
  /** Schema of every Kannuki table. Letters, digits, underscores; at most 40. @default 'kannuki' */
  readonly schema?: string;
  /** Connections of the pool. 1 or more. @default 10 */
  readonly max?: number;
  /** Prepare statements under names. Turn it off behind a transaction pooler that does not keep them. @default true */
  readonly prepare?: boolean;
  /**
   * Where notices come from: a direct connection, not through a transaction pooler. `false`: none; waiters poll.
   * @default the same server
   */
  readonly listen?: false | { readonly connectionString: string };
  /** Connecting, or waiting for a free connection, fails after this long. @default 5000 */
  readonly connectTimeoutMs?: number;
  /** A statement that takes longer fails, and its connection is dropped. @default 30000 */
  readonly queryTimeoutMs?: number;
}

export interface PostgresDatabase extends SqlDatabase {
  /** Statements that must not wait for the pool: the direct connection while it is open, else the pool. */
  readonly renewals: SqlExecutor;
}

export function postgresDatabase(options: PostgresDatabaseOptions): PostgresDatabase {
  const { schema = 'kannuki', prepare = true, connectTimeoutMs = 5_000, queryTimeoutMs = 30_000 } = options;
  quoteSchema(schema);
  const connection = {
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: connectTimeoutMs,
  };
  const pool = options.pool ?? createPool(options, connection);
  const where = describeServer(pool);
  const watch = statementWatch(platform.clock, queryTimeoutMs);
  const send = { prepare, direct: options.pool === undefined, watch };
  const explain = (error: unknown, sent: boolean): unknown => explainDriverError(error, { schema, where }, sent);
  let closed = false;

  const control =
    options.listen === false
      ? undefined
      : controlConnection(
          () =>
            new pg.Client({ ...(options.listen ?? pool.options), ...connection, application_name: 'kannuki notices' }),
          { ...send, direct: true },
          explain,
        );

  /** Idle connections break too; the pool has already dropped them when it tells. */
  const ignoreIdleError = (): void => {};
  pool.on('error', ignoreIdleError);
  const lender = lendConnections(pool, platform.clock, options.pool === undefined);

  const query = <Row>(statement: SqlStatement): Promise<SqlResult<Row>> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(closedError());
      lender.borrow((connectError, client) => {
        if (!client) return reject(explain(connectError, false));
        sendStatement<Row>(client, statement, send, (error, result) => {
          lender.giveBack(client, error ? breaksConnection(error) : false);
          if (error) reject(explain(error, true));
          else resolve(result);
        });
      });
    });

  const withConnection = async <T>(work: (executor: SerialExecutor) => Promise<T>): Promise<T> => {
    if (closed) throw closedError();
    const client = await new Promise<pg.PoolClient>((resolve, reject) => {
      lender.borrow((error, lent) => (lent ? resolve(lent) : reject(explain(error, false))));
    });
    const executor = serialExecutor(client, send, (error) => explain(error, true));
    let broken = true;
    try {
      const result = await work(executor);
      broken = false;
      return result;
    } catch (error) {
      broken = breaksConnection(error);
      throw error;
    } finally {
      executor.end();
      // A connection that is still in a transaction must not be lent to the next one.
      lender.giveBack(client, broken || !isIdle(client));
    }
  };

  return {
    schema,
    capabilities: { concurrent: true, fsync: true, listen: control !== undefined },
    query,
    renewals: { query: (statement) => (control?.executor() ?? { query }).query(statement) },
    session: (work) => withConnection((executor) => work({ query: (statement) => executor.query(statement) })),
    transaction: (work) => withConnection((executor) => runTransaction(executor, work, where)),
    listen(channel, onNotify) {
      if (control) return control.listen(channel, onNotify);
      return Promise.reject(
        new LeaseError(
          'This database was opened with `listen: false`; give `listen: { connectionString }` for notices.',
          {
            code: 'unsupported',
          },
        ),
      );
    },
    async close() {
      if (closed) return;
      closed = true;
      lender.close();
      await control?.close();
      watch.close();
      if (options.pool) {
        pool.off('error', ignoreIdleError);
        return;
      }
      // A server that does not answer must keep neither the caller nor the process waiting.
      platform.clock.after(goodbyeMs, () => lender.cut(), { background: true });
      await pool.end();
    },
  };
}

/** Commit is the one statement whose failure leaves the outcome open. */
async function runTransaction<T>(
  executor: SerialExecutor,
  work: (tx: SqlExecutor) => Promise<T>,
  where: string,
): Promise<T> {
  await executor.query({ text: 'begin isolation level read committed' });
  let over = false;
  const tx: SqlExecutor = {
    query: (statement) => (over ? Promise.reject(overError()) : executor.query(statement)),
  };
  let result: T;
  try {
    result = await work(tx);
  } catch (error) {
    over = true;
    // If even this fails, the connection is dropped and the server rolls back by itself.
    await executor.query({ text: 'rollback' }).catch(() => undefined);
    throw error;
  }
  over = true;
  const { command } = await executor.query({ text: 'commit' }).catch((error: unknown) => {
    if (!breaksConnection(error)) throw error;
    throw new LeaseError(
      `${where} did not answer the commit: the outcome of the transaction is unknown. Read back what it wrote before trying again.`,
      { code: 'store-unavailable', retryable: true, cause: error },
    );
  });
  if (command !== 'COMMIT') {
    throw new LeaseError(
      'The transaction was rolled back because a statement in it had failed; let errors inside a transaction pass.',
      { code: 'store-refused' },
    );
  }
  return result;
}

function createPool({ connectionString, max = 10 }: PostgresDatabaseOptions, connection: pg.ClientConfig): pg.Pool {
  if (!connectionString) {
    throw new LeaseError('postgresDatabase needs a `connectionString` or a `pool`.', { code: 'invalid-argument' });
  }
  return new pg.Pool({ connectionString, max, application_name: 'kannuki', ...connection });
}

/** For messages: host, port and database, never the password. */
function describeServer(pool: pg.Pool): string {
  const { host, port, database } = new pg.Client(pool.options);
  return `PostgreSQL at ${host}:${port}/${database ?? ''}`;
}

/** Drivers before 8.23 do not tell; then the transaction's own begin and commit have to be enough. */
function isIdle(client: pg.ClientBase): boolean {
  return (client.getTransactionStatus?.() ?? 'I') === 'I';
}

function closedError(): LeaseError {
  return new LeaseError('This database was closed.', { code: 'closed' });
}

function overError(): LeaseError {
  return new LeaseError('This transaction is over; begin a new one.', { code: 'closed' });
}
