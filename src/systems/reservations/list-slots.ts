import type { Acting } from './actor.ts';
import { checkDay } from './calendar.ts';
import type { ReservationStatus } from './priority-table.ts';
import { queryAll, type ReservationsContext } from './reservations-context.ts';

export interface SlotOffer {
  readonly slotNumber: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly amount: number;
  readonly currency: string;
  /** `settling`: its last holder may still have paid. */
  readonly availability: 'free' | 'held' | 'settling' | 'taken' | 'past';
  /** The asking customer's own live reservation of it. */
  readonly ownReservationId?: number;
  /** With `held`: when it may become free. */
  readonly heldUntilMs?: number;
}

interface DayRow {
  readonly slotNumber: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly begun: boolean;
  readonly id: number | null;
  readonly userId: number | null;
  readonly status: ReservationStatus | null;
  readonly overdue: boolean;
  readonly holdExpiresAtMs: number | null;
}

/** The slots of a day as a customer sees them. A closed day has none. */
export async function listSlots(c: ReservationsContext, day: string, { actor }: Acting): Promise<readonly SlotOffer[]> {
  const projectionDate = checkDay(day);
  if (c.calendar.closed?.includes(projectionDate)) return [];
  const values = [projectionDate, JSON.stringify(c.calendar.slots), c.calendar.timeZone];
  const rows = await queryAll<DayRow>(c.database, c.sql.listDay, values);
  return Promise.all(
    rows.map(async (row) => {
      const { amount, currency } = await c.price({ projectionDate, slotNumber: row.slotNumber });
      const isOwn = actor.kind === 'user' && row.userId === actor.id && row.id !== null;
      const availability = availabilityOf(row);
      return {
        slotNumber: row.slotNumber,
        startsAtMs: row.startsAtMs,
        endsAtMs: row.endsAtMs,
        amount,
        currency: currency.toLowerCase(),
        availability,
        ...(isOwn && row.id !== null && { ownReservationId: row.id }),
        ...(availability === 'held' && row.holdExpiresAtMs !== null && { heldUntilMs: row.holdExpiresAtMs }),
      };
    }),
  );
}

function availabilityOf({ begun, status, overdue }: DayRow): SlotOffer['availability'] {
  if (begun) return 'past';
  if (status === null) return 'free';
  if (overdue || status === 'expiring') return 'settling';
  return status === 'hold' ? 'held' : 'taken';
}
