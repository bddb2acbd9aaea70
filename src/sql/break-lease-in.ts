import type { BreakReply, BreakRequest, SqlExecutor } from '../core/ports.ts';
import type { NamedStatement } from './lease-statements.ts';
import { quoteSchema } from './schema-name.ts';
import { statementName } from './statement-name.ts';
import { breakLeaseStatement } from './statements/break-lease.ts';

/**
 * Breaks a lease on this executor. Unlike the other lease statements it may be part of somebody's transaction: it sets no
 * commit mode of its own, and holders are told when that transaction commits.
 */
export async function breakLeaseIn(
  on: SqlExecutor,
  statement: NamedStatement,
  { key, by, reason, acceptMs }: BreakRequest,
): Promise<BreakReply> {
  const { rows } = await on.query<{ owners: readonly string[]; token: number }>({
    ...statement,
    values: [key, by, reason, acceptMs],
  });
  const [row] = rows;
  return row ? { broken: true, holders: row.owners, token: row.token } : { broken: false };
}

export function namedBreakLease(schemaName: string): NamedStatement {
  const text = breakLeaseStatement(quoteSchema(schemaName));
  return { name: statementName('break', text), text };
}
