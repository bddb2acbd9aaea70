import type { SqlExecutor } from '../../core/ports.ts';
import { effectNames } from './effect-names.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';

export interface AlertRequest {
  readonly rule: string;
  /** What it is about, such as `reservation:41`. */
  readonly subject: string;
  readonly level: 'warning' | 'critical';
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Raised once; told by an effect. True: it is new. */
export async function raiseAlert(c: ReservationsContext, tx: SqlExecutor, alert: AlertRequest): Promise<boolean> {
  const { rule, subject, level, details = {} } = alert;
  const values = [rule, subject, level, JSON.stringify(details)];
  const made = await queryOne<{ id: number }>(tx, c.sql.raiseAlert, values);
  if (!made) return false;
  await c.effects.enqueue(tx, effectNames.alert, { alertId: made.id }, { key: `alert:${made.id}` });
  return true;
}
