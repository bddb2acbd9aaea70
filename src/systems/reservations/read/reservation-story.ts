/** Everything that was written down about one reservation. */
import type { RaceConditionLog } from '../race-log.ts';
import type { PaymentRow, RefundCause, RefundState } from '../reservation-row.ts';
import type { ReservationSummary } from './reservation-summary.ts';

export interface StoryRow {
  readonly journal: readonly {
    readonly id: number;
    readonly atMs: number;
    readonly event: string;
    readonly actor: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly paymentId: number | null;
    readonly details: Readonly<Record<string, unknown>>;
  }[];
  readonly payments: readonly {
    readonly id: number;
    readonly provider: string;
    readonly state: PaymentRow['state'];
    readonly sessionId: string | null;
    readonly paymentIntentId: string | null;
    readonly amount: number;
    readonly currency: string;
    readonly paidAmount: number | null;
    readonly disputeState: 'open' | 'won' | 'lost' | null;
    readonly askedAtMs: number;
    readonly chargedAtMs: number | null;
  }[];
  readonly refunds: readonly {
    readonly id: number;
    readonly paymentId: number;
    readonly origin: 'automatic' | 'outside';
    readonly cause: RefundCause;
    readonly state: RefundState;
    readonly amount: number;
    readonly currency: string;
    readonly generation: number;
    readonly failures: number;
    readonly reason: string | null;
    readonly providerRefundId: string | null;
    readonly requestedAtMs: number;
    readonly finishedAtMs: number | null;
  }[];
  readonly mails: readonly {
    readonly id: number;
    readonly template: string;
    readonly state: 'wanted' | 'sent' | 'dropped' | 'refused';
    readonly note: string | null;
    readonly messageId: string | null;
    readonly data: Readonly<Record<string, unknown>>;
    readonly createdAtMs: number;
    readonly finishedAtMs: number | null;
  }[];
  readonly races: readonly {
    readonly id: number;
    readonly scenario: RaceConditionLog['scenario'];
    readonly resolution: RaceConditionLog['resolution'];
    readonly atMs: number;
    readonly details: Readonly<Record<string, unknown>>;
  }[];
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly state: string;
    readonly note: string | null;
    readonly receivedAtMs: number;
  }[];
  readonly renders: readonly {
    readonly attempt: number;
    readonly state: string;
    readonly error: string | null;
    readonly startedAtMs: number;
    readonly finishedAtMs: number | null;
  }[];
}

export interface ReservationStory extends Omit<StoryRow, 'mails'> {
  readonly reservation: ReservationSummary;
  readonly mails: readonly (StoryRow['mails'][number] & {
    readonly subject: string;
    /** As the customer read it. */
    readonly text: string;
  })[];
}
