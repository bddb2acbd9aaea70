/**
 * Every minute: what is overdue ends. Holds without a session end at once; those with one become `expiring`, and the
 * closing of the session decides. Vouchers that were not paid in time are asked about once more. A reservation that
 * waits for a silent provider longer than the cap is given up, with an alert; money that turns up later goes back.
 */
import { applyEvent } from './apply-event.ts';
import { effectNames } from './effect-names.ts';
import type { ReservationRow } from './reservation-row.ts';
import { queryAll, type ReservationsContext } from './reservations-context.ts';

export interface ExpireHoldsResult {
  /** Ended now. */
  readonly expired: number;
  /** On their way: the provider is asked. */
  readonly expiring: number;
  /** Given up because the provider did not answer. */
  readonly givenUp: number;
  /** Vouchers asked about. */
  readonly vouchers: number;
}

const batch = 100;
const actor = 'system';

export async function expireHolds(c: ReservationsContext): Promise<ExpireHoldsResult> {
  let expired = 0;
  let expiring = 0;
  let more = true;
  while (more) {
    const moved = await c.database.transaction(async (tx) => {
      const rows = await queryAll<ReservationRow & { unsettled: boolean }>(tx, c.sql.lockDueHolds, [batch]);
      const statuses: string[] = [];
      for (const row of rows) {
        const event = row.unsettled ? 'hold deadline passes / sweep' : 'settle: session closed unpaid';
        statuses.push((await applyEvent(c, tx, row, event, { actor })).row.status);
      }
      return statuses;
    });
    expired += moved.filter((status) => status === 'expired').length;
    expiring += moved.filter((status) => status === 'expiring').length;
    more = moved.length === batch;
  }
  return { expired, expiring, givenUp: await giveUp(c), vouchers: await askAboutVouchers(c) };
}

async function giveUp(c: ReservationsContext): Promise<number> {
  return c.database.transaction(async (tx) => {
    const rows = await queryAll<ReservationRow>(tx, c.sql.lockCapped, [c.settings.settleCapMs, batch]);
    for (const row of rows) await applyEvent(c, tx, row, 'settle: provider unreachable > cap', { actor });
    return rows.length;
  });
}

async function askAboutVouchers(c: ReservationsContext): Promise<number> {
  return c.database.transaction(async (tx) => {
    const due = await queryAll<{ paymentId: number; version: number }>(tx, c.sql.listOverdueVouchers, [batch]);
    for (const { paymentId, version } of due) {
      const key = `close:${paymentId}:voucher:${version}`;
      await c.effects.enqueue(tx, effectNames.close, { paymentId }, { key });
    }
    return due.length;
  });
}
