import type { SqlStatement } from '../../core/ports.ts';
import { quoteIdentifier } from './quote-identifier.ts';
import type { Columns, UpdatePlan } from './update-request.ts';

/**
 * The fence row is locked FOR SHARE in the same statement: a raise waits for this statement, or this statement sees
 * it and changes nothing. A plain sub-select is not a fence (seen: a deposed leader still changed a row).
 * The id is compared by `=`, which can use its index; `is not distinct from` cannot.
 */
export function updateStatement(plan: UpdatePlan): SqlStatement {
  const { values, bind } = parameters();
  const fence =
    plan.fence &&
    `with fence as materialized (
  select f.token from ${quoteIdentifier(plan.fence.schema, 'schema')}.fences f
  where f.resource = ${bind(plan.fence.resource)} and f.token = ${bind(plan.fence.token)}
  for share
)
`;
  const set = Object.entries(plan.set).map(([column, value]) => `${quoteColumn(column)} = ${bind(value)}`);
  if (plan.versionColumn !== null) {
    const version = quoteColumn(plan.versionColumn);
    set.push(`${version} = t.${version} + 1`);
  }
  const where = [
    ...matchId(plan.id, bind),
    ...Object.entries(plan.expect).map(([column, value]) => matchColumn(column, value, bind)),
    ...(fence ? ['exists (select from fence)'] : []),
  ];
  const text = `${fence ?? ''}update ${quoteTable(plan.table)} as t
set ${set.join(', ')}
where ${where.join(' and ')}
returning ${quoteColumns(plan.returning)}`;
  return { text, values };
}

export function parameters(): { readonly values: unknown[]; readonly bind: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}

export function matchColumn(column: string, value: unknown, bind: (value: unknown) => string): string {
  return `t.${quoteColumn(column)} is not distinct from ${bind(value)}`;
}

export function matchId(id: Columns, bind: (value: unknown) => string): readonly string[] {
  return Object.entries(id).map(([column, value]) => `t.${quoteColumn(column)} = ${bind(value)}`);
}

export function quoteTable({ schema, name }: UpdatePlan['table']): string {
  return `${schema === undefined ? '' : `${quoteIdentifier(schema, 'schema')}.`}${quoteIdentifier(name, 'table')}`;
}

export function quoteColumn(column: string): string {
  return quoteIdentifier(column, 'column');
}

export function quoteColumns(columns: readonly string[] | undefined): string {
  return columns?.map((column) => `t.${quoteColumn(column)}`).join(', ') ?? 't.*';
}
