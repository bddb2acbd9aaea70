/**
 * Sequences go on above every number that the old store can have given out since the backup was taken. Ids leave the
 * database (in logs, in keys of payments), so a number that was used once must not name something else.
 */
import type { SqlExecutor } from '../core/ports.ts';
import type { SequenceState } from './backup-header.ts';
import { quoteName } from './read-tables.ts';

/** Nobody fills one table quicker than this for long. */
const rowsPerSecond = 100_000;

export async function raiseSequences(
  tx: SqlExecutor,
  schema: string,
  states: readonly SequenceState[],
  secondsSince: number,
): Promise<void> {
  const { rows: kinds } = await tx.query<{ name: string; type: string; max: string }>({
    text: `select sequencename::text as name, data_type::text as type, max_value::text as max
from pg_sequences where schemaname = $1`,
    values: [schema],
  });
  for (const { name, last } of states) {
    const kind = kinds.find((one) => one.name === name);
    if (!kind) continue;
    const next = BigInt(last ?? 0) + gapOf(kind.type, secondsSince);
    const value = next < BigInt(kind.max) ? next : BigInt(kind.max);
    if (value > 0n) {
      await tx.query({
        text: 'select setval($1::regclass, $2::bigint)',
        values: [`"${schema}".${quoteName(name)}`, `${value}`],
      });
    }
  }
}

/** Small numbers are for things that people define: few, and known by name. */
function gapOf(type: string, secondsSince: number): bigint {
  if (type !== 'bigint') return type === 'integer' ? 1_000n : 16n;
  return BigInt(Math.ceil(Math.max(1, secondsSince) * rowsPerSecond));
}
