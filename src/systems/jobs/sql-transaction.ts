/**
 * The caller's transaction, whatever library opened it. Nothing is imported: each library is recognised by what its
 * transaction object can do, and one plain statement with numbered parameters goes through it.
 *
 *   Kysely        executeQuery(compiled)
 *   Drizzle       execute(query), and no query(text)
 *   PGlite        query(text, values), beside exec
 *   pg, Kannuki   query({ text, values })
 */
import type { SqlExecutor, SqlResult, SqlStatement } from '../../core/ports.ts';
import { JobError } from './job-error.ts';

/** A Kysely transaction. */
export interface KyselyTransaction {
  executeQuery(query: never): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A Drizzle transaction of node-postgres, postgres-js or PGlite. */
export interface DrizzleTransaction {
  execute(query: never): PromiseLike<unknown>;
}

/** A PGlite transaction, or PGlite itself. */
export interface PgliteTransaction {
  query(text: string, values?: never): Promise<{ readonly rows: readonly unknown[] }>;
  exec(text: string): Promise<unknown>;
}

/** A client of `pg` inside a transaction. */
export interface PgTransaction {
  query(config: never): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
}

export type SqlTransaction = SqlExecutor | KyselyTransaction | DrizzleTransaction | PgliteTransaction | PgTransaction;

/** Gives any of them the one shape that the statements of jobs need. */
export function openSqlTransaction(transaction: SqlTransaction): SqlExecutor {
  const given = transaction as Partial<Record<'executeQuery' | 'execute' | 'query' | 'exec', unknown>>;
  if (typeof given.executeQuery === 'function') return throughKysely(transaction as KyselyTransaction);
  if (typeof given.query === 'function') {
    return typeof given.exec === 'function'
      ? throughPglite(transaction as PgliteTransaction)
      : throughPg(transaction as PgTransaction);
  }
  if (typeof given.execute === 'function') return throughDrizzle(transaction as DrizzleTransaction);
  throw new JobError(
    'The transaction is of no kind that is known: give a pg client, a Kysely, Drizzle or PGlite transaction, or what `database.transaction` lends.',
    { code: 'invalid-argument' },
  );
}

function throughPg(client: PgTransaction): SqlExecutor {
  return {
    async query<Row>({ text, values = [] }: SqlStatement): Promise<SqlResult<Row>> {
      return toResult<Row>(await client.query({ text, values: [...values] } as never));
    },
  };
}

function throughPglite(pglite: PgliteTransaction): SqlExecutor {
  return {
    async query<Row>({ text, values = [] }: SqlStatement): Promise<SqlResult<Row>> {
      return toResult<Row>(await pglite.query(text, [...values] as never));
    },
  };
}

function throughKysely(kysely: KyselyTransaction): SqlExecutor {
  return {
    async query<Row>({ text, values = [] }: SqlStatement): Promise<SqlResult<Row>> {
      const query = { kind: 'RawNode', sqlFragments: [text], parameters: [] };
      const compiled = { sql: text, parameters: [...values], query, queryId: { queryId: 'kannuki' } };
      return toResult<Row>(await kysely.executeQuery(compiled as never));
    },
  };
}

function throughDrizzle(drizzle: DrizzleTransaction): SqlExecutor {
  return {
    async query<Row>({ text, values = [] }: SqlStatement): Promise<SqlResult<Row>> {
      const built = { toQuery: () => ({ sql: text, params: [...values], typings: [] }) };
      const result = await drizzle.execute({ getSQL: () => built } as never);
      return toResult<Row>(Array.isArray(result) ? { rows: result } : (result as { rows: readonly unknown[] }));
    },
  };
}

function toResult<Row>({ rows }: { readonly rows: readonly unknown[] }): SqlResult<Row> {
  return { rows: rows as readonly Row[], rowCount: rows.length };
}
