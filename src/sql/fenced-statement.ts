/**
 * A write that only the newest holder can make. The fence row is locked FOR SHARE and its token compared in the same
 * statement: a holder that raises the fence waits for statements under way, and a statement with an older token
 * finds no fence and changes nothing. A sub-select on the lease row would not do that: nothing would make the new
 * holder wait.
 *
 *   await lease.claim('orders/7');                                  -- first: raise the fence, then read
 *   const { rowCount } = await database.query(
 *     fencedStatement(
 *       { lease, resource: 'orders/7' },
 *       { text: `update orders set state = $1 from kannuki_fence where id = $2`, values: ['paid', 7] },
 *     ),
 *   );
 *   if (rowCount === 0) …                                           -- refused: somebody newer holds it, or no such row
 */
import { LeaseError } from '../core/errors.ts';
import type { SqlStatement } from '../core/ports.ts';
import { quoteSchema } from './schema-name.ts';

/** What a fence needs to know of a lease. */
export interface HeldLease {
  readonly token: number;
  isHeld(): boolean;
}

export interface FenceOptions {
  /** The lease that protects the resource; its holder has claimed the resource. */
  readonly lease: HeldLease;
  /** The name given to `claim`. */
  readonly resource: string;
  /** Schema of the fences. @default 'kannuki' */
  readonly schema?: string;
}

/**
 * Puts `kannuki_fence` in front of your statement: one row while this lease is the newest, else none. Your statement
 * must depend on it: `… from kannuki_fence where …`, `… using kannuki_fence where …`,
 * `insert … select … from kannuki_fence`, or `where exists (select from kannuki_fence)`. Zero rows = refused.
 */
export function fencedStatement(options: FenceOptions, statement: SqlStatement): SqlStatement {
  const { lease, resource, schema = 'kannuki' } = options;
  if (!/\bkannuki_fence\b/.test(statement.text)) {
    throw new LeaseError(
      `The fenced statement for "${resource}" does not use kannuki_fence, so nothing would hold it back: add "from kannuki_fence" or "where exists (select from kannuki_fence)".`,
      { code: 'invalid-argument' },
    );
  }
  if (!lease.isHeld()) {
    throw new LeaseError(
      `The lease for "${resource}" (token ${lease.token}) is no longer held; acquire it anew before writing.`,
      {
        code: 'lost',
      },
    );
  }
  const { values = [] } = statement;
  const fence = `with kannuki_fence as materialized (
  select f.token
  from ${quoteSchema(schema)}.fences f
  where f.resource = $${values.length + 1}::text and f.token = $${values.length + 2}::bigint
  for share
)`;
  return {
    text: joinWith(fence, statement.text),
    values: [...values, resource, lease.token],
    ...(statement.name && { name: statement.name }),
  };
}

/** One statement has one WITH; a statement that brings its own gets ours in front. */
function joinWith(fence: string, text: string): string {
  const own = /^(?:\s|--[^\n]*\n|\/\*.*?\*\/)*with\s+(recursive\s+)?/is.exec(text);
  if (!own) return `${fence}\n${text}`;
  const first = own[1] ? fence.replace(/^with/, 'with recursive') : fence;
  return `${first}, ${text.slice(own[0].length)}`;
}
