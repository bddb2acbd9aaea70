/** Rows as the statements return them. */
import type { ReservationState, ReservationStatus } from './priority-table.ts';

export interface ReservationRow {
  readonly id: number;
  readonly userId: number;
  readonly videoId: number;
  readonly projectionDate: string;
  readonly slotNumber: number;
  readonly status: ReservationStatus;
  /** The payment that confirmed it. */
  readonly paymentId: number | null;
  readonly amount: number;
  readonly currency: string;
  readonly version: number;
  readonly holdExpiresAtMs: number;
  readonly slotStartsAtMs: number;
  readonly payUntilMs: number | null;
  readonly expiringSinceMs: number | null;
  readonly overdue: boolean;
  readonly begun: boolean;
  readonly nowMs: number;
}

export interface PaymentRow {
  readonly id: number;
  readonly reservationId: number;
  /**
   * `asked`: the provider may have made a session. `open`: it did. `closed`, `failed`, `never`: no money will come.
   * `pending`: a voucher may be paid. `paid`; `differs`: paid, but not what was asked.
   */
  readonly state: 'asked' | 'open' | 'closed' | 'pending' | 'failed' | 'paid' | 'differs' | 'never';
  readonly sessionId: string | null;
  readonly sessionUrl: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly paidAmount: number | null;
  readonly paidCurrency: string | null;
  readonly paymentIntentId: string | null;
  /** Its money, if any, has an end: served for, or in the refund ledger. */
  readonly settled: boolean;
  readonly disputeState: 'open' | 'won' | 'lost' | null;
  readonly disputeId: string | null;
  readonly expiresAtMs: number;
  readonly askedAtMs: number;
  readonly chargedAtMs: number | null;
}

export type RefundState =
  | 'wanted'
  | 'pending'
  | 'requires_action'
  | 'succeeded'
  | 'failed'
  | 'manual'
  /** The bank took the money back in a dispute, or a person refunded it at the provider. */
  | 'superseded';

export type RefundCause =
  | 'cancelled'
  | 'differs'
  | 'expired'
  | 'expired-by-cap'
  | 'goodwill'
  | 'outside'
  | 'render-failed'
  | 'second-payment';

export interface RefundRow {
  readonly id: number;
  readonly paymentId: number;
  readonly origin: 'automatic' | 'outside';
  readonly cause: RefundCause;
  readonly amount: number;
  readonly currency: string;
  readonly state: RefundState;
  readonly providerRefundId: string | null;
  /** Part of the idempotency key; raised only after a definite failure. */
  readonly generation: number;
  readonly failures: number;
  /** Refunds of ours that failed at the provider and are already counted. */
  readonly seenFailed: readonly string[];
  readonly sentAtMs: number | null;
}

/** The state that the priority table is asked about. */
export function stateOf(row: Pick<ReservationRow, 'status' | 'overdue'>): ReservationState {
  return row.overdue ? 'overdue' : row.status;
}
