/**
 * Every cell of the priority table, done by the code on a real database: a reservation is put into each state, each
 * event is brought to it, and what the cell says must have happened, no more and no less.
 */
import { expect, it } from 'vitest';
import { applyEvent } from '../../src/systems/reservations/apply-event.ts';
import {
  decideRuling,
  type ReservationEvent,
  type ReservationState,
  type Ruling,
  reservationEvents,
  reservationStates,
} from '../../src/systems/reservations/priority-table.ts';
import type { PaymentRow, ReservationRow } from '../../src/systems/reservations/reservation-row.ts';
import type { BookingWorld } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

interface Placed {
  readonly id: number;
  readonly payment: PaymentRow;
}

/** A reservation of its own customer, in that state, with a payment as such a reservation has it. */
async function place(world: BookingWorld, state: ReservationState, slot: number): Promise<Placed> {
  const customer = await world.addCustomer();
  const stands = state === 'confirmed' || state === 'served';
  const paymentState = stands ? 'paid' : state === 'payment_pending' ? 'pending' : 'open';
  const [made] = await world.rows<{ id: number; paymentId: number }>(
    `with r as (
       insert into @reservations (user_id, video_id, projection_date, slot_number, status, hold_expires_at,
         idempotency_key, amount, currency, slot_starts_at, created_at, updated_at, expiring_since)
       values ($1::bigint, $2::bigint, '2027-03-01', $3::integer, 'hold',
         @reservations_now() + case when $4::text = 'hold' then interval '1 minute' else interval '-1 minute' end,
         $5::text, 3000, 'jpy', @reservations_now() + interval '1 day', @reservations_now(), @reservations_now(),
         case when $4::text = 'expiring' then @reservations_now() end)
       returning id
     )
     insert into @payments (reservation_id, provider, state, session_id, amount, currency, paid_amount, paid_currency,
       payment_intent_id, settled, expires_at, asked_at, checked_at)
     select r.id, 'double', $6::text, 'cs_' || r.id, 3000, 'jpy', case when $7::boolean then 3000 end,
       case when $7::boolean then 'jpy' end, 'pi_' || r.id, $7::boolean, @reservations_now() + interval '30 minutes',
       @reservations_now(), @reservations_now()
     from r
     returning reservation_id as id, id as "paymentId"`,
    [customer.id, customer.videoId, slot, state, world.key(), paymentState, stands],
  );
  if (!made) throw new Error('nothing was placed');
  await world.rows(
    `update @reservations set status = $2::text, payment_id = case when $3::boolean then $4::bigint end,
       cancelled_at = case when $2::text = 'cancelled' then @reservations_now() end
     where id = $1::bigint`,
    [made.id, state === 'overdue' ? 'hold' : state, stands, made.paymentId],
  );
  const [payment] = await world.rows<PaymentRow>(world.context.sql.readPayment.text, [made.paymentId]);
  if (!payment) throw new Error('no payment was placed');
  return { id: made.id, payment };
}

async function bring(world: BookingWorld, { id, payment }: Placed, event: ReservationEvent) {
  return world.database.transaction(async (tx) => {
    const [row] = (await tx.query<ReservationRow>({ ...world.context.sql.lockReservation, values: [id] })).rows;
    if (!row) throw new Error(`reservation ${id} is gone`);
    return applyEvent(world.context, tx, row, event, {
      actor: 'test',
      payment,
      payUntilMs: world.nowMs() + 3_600_000,
      problem: 'test',
    });
  });
}

/** What was done, as the cell's word for it. */
async function traces(world: BookingWorld, id: number): Promise<readonly string[]> {
  const rows = await world.rows<{ what: string }>(
    `select 'refund' as what from @refunds f join @payments p on p.id = f.payment_id where p.reservation_id = $1::bigint
     union all select 'mail:' || template from @notifications where reservation_id = $1::bigint
     union all select 'alert:' || rule from @alerts where subject = 'reservation:' || $1::bigint
     union all select 'close' from @reservation_effects x join @payments p on p.id = (x.payload->>'paymentId')::bigint
       where x.name = 'reservations.close-session' and p.reservation_id = $1::bigint
     union all select 'race:' || scenario from @race_log where reservation_id = $1::bigint
     union all select 'journal:' || event from @reservation_journal
       where reservation_id = $1::bigint and to_status is null and event <> 'unruled'`,
    [id],
  );
  return rows.map(({ what }) => what).sort();
}

/** The traces that a ruling must leave, besides those that come with the new state. */
function expected(ruling: Ruling, state: ReservationState, event: ReservationEvent): readonly string[] {
  const late = ['journal:EXPIRED_RESERVATION_REFUNDED', 'race:EXPIRED_AFTER_PAYMENT', 'refund'];
  if (ruling.kind === 'unruled') return ['alert:unruled', 'race:UNRULED'];
  if (ruling.kind === 'late-money') return late;
  if (ruling.kind === 'tell') return [];
  const found: string[] = [];
  if (ruling.kind === 'move' && ruling.to === 'confirmed') found.push('mail:reservation-confirmed');
  if (ruling.kind === 'move' && ruling.to === 'payment_pending') found.push('mail:payment-pending');
  if (event === 'admin cancels' && state !== 'confirmed') found.push('mail:reservation-cancelled');
  switch (ruling.effect) {
    case 'refund':
      if (event.startsWith('paid') && state !== 'cancelled') return [...found, ...late].sort();
      if (/^(window ends|slot begins)/.test(event)) {
        found.push('journal:RENDER_FAILED_AUTO_REFUND', 'race:RENDER_FAILURE');
      }
      found.push('refund');
      break;
    case 'refund 2nd':
      found.push('refund');
      break;
    case 'close':
      found.push('close');
      break;
    case 'mail':
      found.push('mail:payment-failed');
      break;
    case 'alert':
    case 'freeze':
    case 'manual':
      found.push(`alert:${alertOf(event)}`);
      break;
    case 'adopt':
    case 'thaw':
    case 'window':
      found.push(`journal:${event}`);
  }
  return found.sort();
}

function alertOf(event: ReservationEvent): string {
  if (event === 'dispute opened') return 'dispute';
  if (event.startsWith('settle:')) return 'provider-unreachable';
  if (event === 'refund fails for good') return 'refund-manual';
  return event === 'refunded outside, in part' ? 'refunded-in-part' : 'payment-differs';
}

export const priorityCells = engineSuite('Every cell of the priority table', (engine) => {
  let opening: Promise<BookingWorld> | undefined;
  let slot = 0;

  for (const event of reservationEvents) {
    it(`${event}, in each of the 8 states`, async ({ skip }) => {
      if (engine.missing()) return skip(engine.missing());
      opening ??= engine.open();
      const world = await opening;
      for (const state of reservationStates) {
        const placed = await place(world, state, ++slot);
        const ruling = decideRuling(state, event);
        const applied = await bring(world, placed, event);
        const where = `${event} × ${state}`;
        const before = state === 'overdue' ? 'hold' : state;
        expect(await world.status(placed.id), where).toBe(ruling.kind === 'move' ? ruling.to : before);
        expect(await traces(world, placed.id), where).toEqual(expected(ruling, state, event));
        if (ruling.kind === 'tell') expect(applied, where).toMatchObject({ kind: 'told', answer: ruling.answer });
        if (ruling.kind === 'unruled') expect(applied.kind, where).toBe('unruled');
        // The same event again finds the new state; money must not move twice.
        await bring(world, placed, event);
        const refunds = (await traces(world, placed.id)).filter((what) => what === 'refund');
        expect(refunds.length, `${where}, twice`).toBeLessThanOrEqual(1);
      }
    });
  }
});
