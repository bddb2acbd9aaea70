import type { SqlExecutor } from '../../core/ports.ts';
import type { ReservationsContext } from './reservations-context.ts';

export interface JournalEntry {
  /** An event of the priority table, or one of the names that admins look for. */
  readonly event: string;
  readonly reservationId?: number;
  readonly videoId?: number;
  readonly paymentId?: number;
  readonly actor: string;
  readonly from?: string;
  readonly to?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** In the transaction of the change: what happened, because of what, by whom. */
export async function writeJournal(c: ReservationsContext, tx: SqlExecutor, entry: JournalEntry): Promise<void> {
  const { event, reservationId, videoId, paymentId, actor, from, to, details = {} } = entry;
  await tx.query({
    ...c.sql.writeJournal,
    values: [
      event,
      reservationId ?? null,
      videoId ?? null,
      paymentId ?? null,
      actor,
      from ?? null,
      to ?? null,
      JSON.stringify(details),
    ],
  });
}
