import type { SqlStatement } from '../../core/ports.ts';
import { quoteIdentifier } from './quote-identifier.ts';
import type { UpdatePlan } from './update-request.ts';
import { matchColumn, matchId, parameters, quoteColumn, quoteColumns, quoteTable } from './update-statement.ts';

type ReadRow = Readonly<Record<string, unknown>>;

export interface Mismatch {
  readonly column: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

export interface RefusalRead {
  readonly row: ReadRow;
  readonly mismatches: readonly Mismatch[];
  /** What the fence stands at; undefined: nobody has claimed the resource. */
  readonly fenceToken: number | undefined;
}

/** Columns of our own beside the caller's; the colon keeps them apart from names people give. */
const own = 'kannuki:';

/**
 * Reads the row with a verdict per expectation. The database compares, as it did in the update: JavaScript does not
 * know when two numerics, times or enumerations are equal.
 */
export function refusalStatement(plan: UpdatePlan): {
  readonly statement: SqlStatement;
  readonly read: (found: ReadRow) => RefusalRead;
} {
  const { values, bind } = parameters();
  const expected = Object.entries(plan.expect);
  const columns = [
    quoteColumns(plan.returning),
    ...expected.flatMap(([column, value], i) => [
      `${matchColumn(column, value, bind)} as "${own}holds:${i}"`,
      `t.${quoteColumn(column)} as "${own}actual:${i}"`,
    ]),
  ];
  if (plan.fence) {
    const fences = `${quoteIdentifier(plan.fence.schema, 'schema')}.fences`;
    columns.push(`(select f.token from ${fences} f where f.resource = ${bind(plan.fence.resource)}) as "${own}fence"`);
  }
  const text = `select ${columns.join(',\n  ')}
from ${quoteTable(plan.table)} as t
where ${matchId(plan.id, bind).join(' and ')}`;

  const read = (found: ReadRow): RefusalRead => {
    const fenceToken = found[`${own}fence`];
    return {
      row: Object.fromEntries(Object.entries(found).filter(([column]) => !column.startsWith(own))),
      mismatches: expected.flatMap(([column, value], i) =>
        found[`${own}holds:${i}`] === true ? [] : [{ column, expected: value, actual: found[`${own}actual:${i}`] }],
      ),
      fenceToken: fenceToken === null || fenceToken === undefined ? undefined : Number(fenceToken),
    };
  };
  return { statement: { text, values }, read };
}
