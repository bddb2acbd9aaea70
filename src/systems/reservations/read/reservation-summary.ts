import type { Locale } from '../app-error.ts';
import type { RefundCause, RefundState, ReservationRow } from '../reservation-row.ts';
import type { VideoState } from '../video-table.ts';

/** What needs a person. */
export type ReservationProblem = 'refund-parked' | 'disputed' | 'payment-differs' | 'render-failed';

export interface ReservationSummary extends ReservationRow {
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly customerName: string;
  readonly email: string;
  readonly locale: Locale;
  readonly title: string;
  readonly videoStatus: VideoState;
  /** Of its refund, if there is one; a parked one before others. */
  readonly refundState: RefundState | null;
  readonly refundCause: RefundCause | null;
  readonly refundAmount: number | null;
  readonly problem: ReservationProblem | null;
}
