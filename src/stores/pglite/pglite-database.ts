/**
 * PGlite as a SqlDatabase: PostgreSQL inside this process, with one connection. Calls take turns. A call on the
 * database from inside a transaction or session would wait for its own end for ever; it is recognised and refused.
 * It is opened at first use, and its folder is locked by the kernel for as long as it is open.
 */

import type { PGlite, Results, Transaction } from '@electric-sql/pglite';
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { SqlDatabase, SqlExecutor, SqlResult, SqlStatement } from '../../core/ports.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { quoteSchema } from '../../sql/schema-name.ts';
import { explainSqlError } from '../../sql/sql-errors.ts';
import { type OpenedPglite, openPglite } from './open-pglite.ts';

export interface PgliteDatabaseOptions {
  /** Folder of the data, made if it is missing; `'memory'` keeps nothing. */
  readonly dir: string;
  /** Schema of every Kannuki table. Letters, digits, underscores; at most 40. @default 'kannuki' */
  readonly schema?: string;
}

/** What is going on along a flow of control: a transaction or session that has the connection. */
interface Turn {
  over: boolean;
}

export function pgliteDatabase(options: PgliteDatabaseOptions): SqlDatabase {
  const { dir, schema = 'kannuki' } = options;
  quoteSchema(schema);
  const where = `PGlite in ${dir}`;
  const flow = platform.createFlowContext?.<Turn>();
  let opening: Promise<OpenedPglite> | undefined;
  let closed = false;
  /** The end of the line: everybody who wants the connection waits for the one before. */
  let tail: Promise<unknown> = Promise.resolve();

  const explain = (error: unknown): unknown => explainSqlError(error, { schema, where });
  const open = async (): Promise<PGlite> => {
    opening ??= openPglite(dir);
    try {
      return (await opening).pglite;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };

  /** Waits for its turn, then has the connection until `work` ends. */
  const takeTurn = <T>(work: (pglite: PGlite) => Promise<T>): Promise<T> => {
    const current = flow?.get();
    if (current && !current.over) return Promise.reject(reentryError());
    if (closed) return Promise.reject(new LeaseError('This database was closed.', { code: 'closed' }));
    const turn = tail.then(open).then(work);
    tail = turn.catch(() => undefined);
    return turn;
  };

  /** Lends an executor along the flow of `work`; it is refused once the work is over. */
  const lend = async <T>(executor: SqlExecutor, work: (lent: SqlExecutor) => Promise<T>): Promise<T> => {
    const turn: Turn = { over: false };
    const lent: SqlExecutor = {
      query: (statement) => (turn.over ? Promise.reject(overError()) : executor.query(statement)),
    };
    try {
      return await (flow ? flow.run(turn, () => work(lent)) : work(lent));
    } finally {
      turn.over = true;
    }
  };

  const runOn = (on: Pick<PGlite | Transaction, 'query'>): SqlExecutor => ({
    query: <Row>({ text, values }: SqlStatement) =>
      on.query<Row>(text, values as unknown[]).then(toResult, (error: unknown) => {
        throw explain(error);
      }),
  });

  return {
    schema,
    capabilities: { concurrent: false, fsync: false, listen: true },
    query: (statement) => takeTurn((pglite) => runOn(pglite).query(statement)),
    session: (work) => takeTurn((pglite) => lend(runOn(pglite), work)),
    transaction: (work) => takeTurn((pglite) => runTransaction(pglite, (tx) => lend(runOn(tx), work))),
    async listen(channel, onNotify) {
      const stop = await takeTurn((pglite) => pglite.listen(quoteName(channel), (payload) => onNotify(payload)));
      let live = true;
      return {
        isLive: () => live && !closed,
        async close() {
          if (!live || closed) return;
          live = false;
          await takeTurn(() => stop());
        },
      };
    },
    async close() {
      if (closed) return;
      const current = flow?.get();
      if (current && !current.over) throw reentryError();
      closed = true;
      await tail;
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** PGlite rolls back when the work throws, and tells when its commit became a roll-back. */
async function runTransaction<T>(pglite: PGlite, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await pglite.transaction(work);
  } catch (error) {
    if (!(error instanceof Error && 'query' in error && error.query === 'COMMIT')) throw error;
    throw new LeaseError(
      'The transaction was rolled back because a statement in it had failed; let errors inside a transaction pass.',
      { code: 'store-refused', cause: error },
    );
  }
}

function toResult<Row>({ rows, affectedRows = 0 }: Results<Row>): SqlResult<Row> {
  return { rows, rowCount: rows.length || affectedRows };
}

function reentryError(): LeaseError {
  return new LeaseError(
    'PGlite has one connection, and this flow of control is inside a transaction or session: use the handle given to it, not the database.',
    { code: 'reentry' },
  );
}

function overError(): LeaseError {
  return new LeaseError('This transaction or session is over; use the database itself, or begin a new one.', {
    code: 'closed',
  });
}
