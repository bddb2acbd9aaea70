/**
 * The second half of a webhook: stored events are taken, what they are about is fetched, and what the provider says now
 * decides. Each event id acts once. An event about a reservation that is not known (yet) is kept and tried again: its
 * sender believes us that we have it. One whose worker died comes back.
 */
import { AppError } from './app-error.ts';
import type { PaymentEventSubject } from './payment-port.ts';
import { raiseAlert } from './raise-alert.ts';
import { refreshDisputes } from './refresh-disputes.ts';
import { refreshRefunds } from './refresh-refunds.ts';
import { changes, queryAll, type ReservationsContext } from './reservations-context.ts';
import { settleSession } from './settle-session.ts';

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: PaymentEventSubject;
  readonly attempts: number;
}

const leaseMs = 60_000;
const parkMaxMs = 3_600_000;
/** After so many tries in vain a person is told; it is still kept and tried. */
const attemptsBeforeAlert = 5;

export interface WorkedEvents {
  readonly done: number;
  /** Kept for later. */
  readonly parked: number;
}

/** Works on what waits in the inbox, once. */
export async function workEvents(c: ReservationsContext, { limit = 100 } = {}): Promise<WorkedEvents> {
  const events = await queryAll<StoredEvent>(c.database, c.sql.claimEvents, [limit, leaseMs]);
  let done = 0;
  for (const event of events) {
    try {
      if (await workEvent(c, event)) done++;
    } catch (error) {
      // Anything but a provider's silence is a mistake of ours: told, and tried again all the same.
      if (!(error instanceof AppError && error.retryable)) {
        c.logger?.error('an event could not be worked on', { event: event.id, error: String(error) });
      }
      await park(c, event, error instanceof Error ? error.message : String(error));
    }
  }
  return { done, parked: events.length - done };
}

/** False: parked. */
async function workEvent(c: ReservationsContext, event: StoredEvent): Promise<boolean> {
  const { subject } = event;
  switch (subject.kind) {
    case 'session':
      return workSession(c, event, subject.sessionId);
    case 'refund':
    case 'dispute': {
      const refresh = subject.kind === 'refund' ? refreshRefunds : refreshDisputes;
      if (await refresh(c, subject.paymentIntentId)) return finish(c, event, 'done', null);
      // Its payment may not have been told yet; once it is, this event is revived. One of somebody else's never will be.
      return event.attempts >= attemptsBeforeAlert
        ? finish(c, event, 'ignored', 'no payment of ours')
        : park(c, event, 'no such payment yet');
    }
    case 'other':
      return finish(c, event, 'ignored', null);
  }
}

async function workSession(c: ReservationsContext, event: StoredEvent, sessionId: string): Promise<boolean> {
  const session = await c.payments.getSession(sessionId);
  if (!session) return park(c, event, 'the provider knows no such session');
  const settled = await c.database.transaction(async (tx) => {
    const result = await settleSession(c, tx, session, 'event');
    const state = result.kind === 'foreign' ? 'ignored' : 'done';
    if (result.kind === 'settled' || result.kind === 'foreign') {
      await tx.query({ ...c.sql.finishEvent, values: [event.id, state, result.kind] });
    }
    return result;
  });
  if (settled.kind === 'unknown') return park(c, event, `unknown reservation ${session.reservationId}`);
  return settled.kind === 'unruled' ? park(c, event, 'unruled') : true;
}

async function finish(
  c: ReservationsContext,
  event: StoredEvent,
  state: 'done' | 'ignored',
  note: string | null,
): Promise<boolean> {
  await changes(c.database, c.sql.finishEvent, [event.id, state, note]);
  return true;
}

async function park(c: ReservationsContext, event: StoredEvent, why: string): Promise<false> {
  const delayMs = Math.min(parkMaxMs, 2_000 * 2 ** Math.min(event.attempts, 20));
  await c.database.transaction(async (tx) => {
    await tx.query({ ...c.sql.parkEvent, values: [event.id, delayMs, why.slice(0, 500)] });
    if (event.attempts < attemptsBeforeAlert) return;
    const details = { type: event.type, why, attempts: event.attempts };
    await raiseAlert(c, tx, { rule: 'event-parked', subject: `event:${event.id}`, level: 'critical', details });
  });
  return false;
}
