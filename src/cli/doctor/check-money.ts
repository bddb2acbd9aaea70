import type { SqlDatabase } from '../../core/ports.ts';
import { listOffendingMoneyStatement } from '../../systems/reservations/sql/list-offending-money.ts';
import { type Finding, fail, ok } from './finding.ts';

/** The books of reservations, where there are any: every payment is a reservation, a refund or a dispute. */
export async function checkMoney(database: SqlDatabase): Promise<readonly Finding[]> {
  const schema = `"${database.schema}"`;
  const { rows: found } = await database.query<{ there: boolean }>({
    text: 'select to_regclass($1) is not null as there',
    values: [`${schema}.payments`],
  });
  if (!found[0]?.there) return [];
  const { rows } = await database.query<{ reservationId: number; problem: string }>({
    text: listOffendingMoneyStatement(schema),
    values: [5],
  });
  if (rows.length === 0) return [ok('reservations: money', 'the books balance')];
  const named = rows.map(({ reservationId, problem }) => `reservation ${reservationId}: ${problem}`).join('; ');
  return [fail('reservations: money', named, 'look at these reservations; reconciliation repairs what it can')];
}
