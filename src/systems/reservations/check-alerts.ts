/** Every minute: alerts are raised and closed by what the tables say now. Raised once; they close by themselves. */

import type { EffectAnswer, EffectRun } from '../../core/effect-queue.ts';
import { AppError } from './app-error.ts';
import { type AlertRequest, raiseAlert } from './raise-alert.ts';
import { queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';

export interface Alert extends Required<AlertRequest> {
  readonly id: number;
  readonly openedAtMs: number;
  /** Null while it is open. */
  readonly closedAtMs: number | null;
}

/** Where alerts are told: Slack, PagerDuty, any address. */
export interface AlertPort {
  /** At least once per alert. A throw is tried again. */
  send(alert: Alert): Promise<void>;
}

export async function checkAlerts(
  c: ReservationsContext,
): Promise<{ readonly raised: number; readonly closed: number }> {
  return c.database.transaction(async (tx) => {
    let raised = 0;
    for (const condition of await queryAll<Required<AlertRequest>>(tx, c.sql.listAlertConditions, [])) {
      if (await raiseAlert(c, tx, condition)) raised++;
    }
    const closed = (await queryAll(tx, c.sql.closeAlerts, [])).length;
    return { raised, closed };
  });
}

/** The effect that tells. An alert that has closed meanwhile is still told: it happened. */
export async function sendAlert(
  c: ReservationsContext,
  port: AlertPort | undefined,
  run: EffectRun,
): Promise<EffectAnswer> {
  const { alertId } = run.payload as { readonly alertId: number };
  const alert = await queryOne<Alert>(c.database, c.sql.readAlert, [alertId]);
  if (!alert) throw new AppError(`There is no alert ${alertId}.`, { code: 'NOT_FOUND' });
  c.logger?.warn(`alert: ${alert.rule}`, { subject: alert.subject, level: alert.level, details: alert.details });
  await port?.send(alert);
  return { kind: 'done' };
}
