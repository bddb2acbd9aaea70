/**
 * The books: what was paid, less what went back and what is disputed, is what standing reservations were paid with.
 * Whatever does not add up is named, row by row. It reads only, so it runs in production as in tests.
 */
import { queryAll, type ReservationsContext } from './reservations-context.ts';

export interface MoneyTotals {
  readonly currency: string;
  readonly paid: number;
  /** Gone back, or accepted by the provider. */
  readonly refunded: number;
  /** In the ledger, not yet accepted by the provider. */
  readonly owed: number;
  readonly disputed: number;
  /** Part of `refunded`: given by people after the show, or at the provider. */
  readonly goodwill: number;
  /** What standing reservations were paid with, less goodwill and disputes. */
  readonly live: number;
  /** Money that has just come and is not decided yet. */
  readonly undecided: number;
}

export interface OffendingMoney {
  readonly reservationId: number;
  readonly paymentId: number | null;
  readonly status: string;
  readonly paid: number;
  readonly given: number;
  readonly owed: number;
  readonly disputed: number;
  readonly currency: string;
  readonly problem: string;
}

export interface MoneyAudit {
  readonly balanced: boolean;
  readonly totals: readonly MoneyTotals[];
  readonly offending: readonly OffendingMoney[];
}

export async function auditMoney(c: ReservationsContext): Promise<MoneyAudit> {
  const offending = await queryAll<OffendingMoney>(c.database, c.sql.listOffendingMoney, [1_000]);
  const totals = await queryAll<MoneyTotals>(c.database, c.sql.sumMoney, []);
  return { balanced: offending.length === 0, totals, offending };
}
