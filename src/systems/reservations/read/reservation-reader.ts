/** Reads for people: lists, one reservation's whole story, races and alerts. Nothing here changes anything. */
import type { Alert } from '../check-alerts.ts';
import { composeMail } from '../mail/compose-mail.ts';
import type { MailTemplate } from '../mail-port.ts';
import type { ReservationStatus } from '../priority-table.ts';
import type { RaceConditionLog } from '../race-log.ts';
import { queryAll, queryOne, type ReservationsContext } from '../reservations-context.ts';
import type { ReservationStory, StoryRow } from './reservation-story.ts';
import type { ReservationSummary } from './reservation-summary.ts';

export interface ListReservationsOptions {
  /** First day, `YYYY-MM-DD`. */
  readonly from?: string;
  /** Last day. */
  readonly to?: string;
  readonly status?: readonly ReservationStatus[];
  readonly userId?: number;
  /** An id, or part of a title, name or address. */
  readonly text?: string;
  /** Only what needs a person. @default false */
  readonly problems?: boolean;
  /** Only ids below it: the last one of the page before. */
  readonly beforeId?: number;
  /** 1 to 1,000. @default 100 */
  readonly limit?: number;
}

export interface RaceEntry extends Omit<RaceConditionLog, 'reservationId' | 'videoId'> {
  readonly id: number;
  /** Null: it was about none. */
  readonly reservationId: number | null;
  readonly videoId: number | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface ReservationReader {
  list(options?: ListReservationsOptions): Promise<readonly ReservationSummary[]>;
  /** Undefined: there is no such reservation. */
  story(reservationId: number): Promise<ReservationStory | undefined>;
  races(options?: {
    readonly scenario?: RaceConditionLog['scenario'];
    readonly beforeId?: number;
    readonly limit?: number;
  }): Promise<readonly RaceEntry[]>;
  /** Undefined: it was forgotten. */
  alert(id: number): Promise<Alert | undefined>;
  /** The newest first: an alert that closes keeps its place. */
  alerts(options?: {
    readonly open?: boolean;
    readonly beforeId?: number;
    readonly limit?: number;
  }): Promise<readonly Alert[]>;
}

export function reservationReader(c: ReservationsContext): ReservationReader {
  const { database, sql } = c;
  const list = ({ limit = 100, ...by }: ListReservationsOptions = {}): Promise<readonly ReservationSummary[]> =>
    queryAll<ReservationSummary>(database, sql.listReservations, [
      by.from ?? null,
      by.to ?? null,
      by.status && by.status.length > 0 ? by.status.join(',') : null,
      by.userId ?? null,
      by.text ?? null,
      by.problems ?? false,
      by.beforeId ?? null,
      limit,
    ]);
  return {
    list,
    async story(reservationId) {
      // The list's own statement, for one: the newest id below the next.
      const [found] = await list({ beforeId: reservationId + 1, limit: 1 });
      if (found?.id !== reservationId) return undefined;
      const row = await queryOne<StoryRow>(database, sql.readStory, [reservationId]);
      if (!row) return undefined;
      return { ...row, reservation: found, mails: row.mails.map((mail) => withText(c, found, mail)) };
    },
    races: ({ scenario, beforeId, limit = 100 } = {}) =>
      queryAll<RaceEntry>(database, sql.pageRaces, [scenario ?? null, beforeId ?? null, limit]),
    alert: (id) => queryOne<Alert>(database, sql.readAlert, [id]),
    alerts: ({ open = true, beforeId, limit = 100 } = {}) =>
      queryAll<Alert>(database, sql.listAlerts, [open, limit, beforeId ?? null]),
  };
}

/** The mail as the customer read it, in their language. */
function withText(
  c: ReservationsContext,
  r: ReservationSummary,
  mail: StoryRow['mails'][number],
): ReservationStory['mails'][number] {
  const { subject, text } = composeMail({
    template: mail.template as MailTemplate,
    locale: r.locale,
    data: {
      reservationId: r.id,
      customerName: r.customerName,
      videoTitle: r.title,
      projectionDate: r.projectionDate,
      slotNumber: r.slotNumber,
      slotStartsAtMs: r.slotStartsAtMs,
      timeZone: c.calendar.timeZone,
      amount: r.amount,
      currency: r.currency,
      ...mail.data,
    },
  });
  return { ...mail, subject, text };
}
