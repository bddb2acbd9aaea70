/** Every minute: alerts are raised and closed by what the tables say now. Raised once; they close by themselves. */

import type { EffectAnswer, EffectRun } from '../../core/effect-queue.ts';
import { AppError } from './app-error.ts';
import { effectNames } from './effect-names.ts';
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
  /**
   * At least once when it opens (`closedAtMs` is null then) and once when it has closed. A throw is tried again; what
   * could not be told until the alert had closed is told as closed only.
   */
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
    const closed = await queryAll<{ id: number }>(tx, c.sql.closeAlerts, []);
    for (const { id } of closed) {
      await c.effects.enqueue(tx, effectNames.alert, { alertId: id, closed: true }, { key: `alert-closed:${id}` });
    }
    return { raised, closed: closed.length };
  });
}

/**
 * The effect that tells: once as open, once as closed. Where the first could not be told before the alert closed, the
 * second tells it alone: whoever keeps an incident for us must not hear of the beginning after the end.
 */
export async function sendAlert(
  c: ReservationsContext,
  port: AlertPort | undefined,
  run: EffectRun,
): Promise<EffectAnswer> {
  const { alertId, closed = false } = run.payload as { readonly alertId: number; readonly closed?: boolean };
  const alert = await queryOne<Alert>(c.database, c.sql.readAlert, [alertId]);
  if (!alert) throw new AppError(`There is no alert ${alertId}.`, { code: 'NOT_FOUND' });
  if (!closed && alert.closedAtMs !== null) return { kind: 'done' };
  const { rule, subject, level, details } = alert;
  if (closed) c.logger?.info(`alert closed: ${rule}`, { subject });
  else c.logger?.warn(`alert: ${rule}`, { subject, level, details });
  await port?.send(alert);
  return { kind: 'done' };
}
