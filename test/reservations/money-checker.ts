/**
 * What must hold, whatever happened. It looks at both sides, our tables and the provider's books, and believes neither
 * alone. Money that a person moved at the provider, or that a bank took back, is counted apart.
 */
import { isDeclared } from '../../src/core/transition.ts';
import type { ReservationStatus } from '../../src/systems/reservations/priority-table.ts';
import { reservationMoves } from '../../src/systems/reservations/reservation-moves.ts';
import type { BookingWorld } from './booking-world.ts';
import type { PaymentSide } from './payment-side.ts';

/** An answer that a customer got. */
export interface HeldUnder {
  readonly userId: number;
  readonly key: string;
  readonly slotNumber: number;
  readonly reservationId: number;
}

interface Row {
  readonly id: number;
  readonly status: ReservationStatus;
  readonly paymentIntentId: string | null;
  readonly holdExpiresAtMs: number;
  readonly slotStartsAtMs: number;
  readonly givenUp: boolean;
  readonly wanted: boolean;
  readonly unrenderable: boolean;
}

export async function checkMoneyHistory(
  world: BookingWorld,
  side: PaymentSide,
  held: readonly HeldUnder[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const rows = await readReservations(world);
  const byId = new Map(rows.map((row) => [row.id, row]));

  for (const row of rows) {
    if (!['served', 'expired', 'cancelled'].includes(row.status)) problems.push(`${row.id} never ended: ${row.status}`);
  }
  problems.push(...side.checkRequests());
  checkKeys(problems, held);
  checkCharges(problems, side, byId);
  await checkJournal(problems, world);
  await checkMails(problems, world);
  await checkLeftovers(problems, world);
  const audit = await world.reservations.auditMoney();
  for (const { reservationId, problem } of audit.offending) problems.push(`audit: ${reservationId}: ${problem}`);
  return problems;
}

async function readReservations(world: BookingWorld): Promise<readonly Row[]> {
  return world.rows<Row>(
    `select r.id, r.status, p.payment_intent_id as "paymentIntentId",
       floor(date_part('epoch', r.hold_expires_at) * 1000)::float8 as "holdExpiresAtMs",
       floor(date_part('epoch', r.slot_starts_at) * 1000)::float8 as "slotStartsAtMs",
       exists (select from @reservation_journal j where j.reservation_id = r.id
         and j.event = 'settle: provider unreachable > cap') as "givenUp",
       exists (select from @reservation_journal j where j.reservation_id = r.id
         and j.event in ('user cancels', 'admin cancels')) as wanted,
       exists (select from @reservation_journal j where j.reservation_id = r.id
         and j.event in ('window ends (same failure)', 'slot begins, no video')) as unrenderable
     from @reservations r left join @payments p on p.id = r.payment_id`,
  );
}

/** The same key never yields two answers. */
function checkKeys(problems: string[], held: readonly HeldUnder[]): void {
  const answers = new Map<string, number>();
  for (const { userId, key, reservationId } of held) {
    const before = answers.get(`${userId} ${key}`) ?? reservationId;
    if (before !== reservationId) problems.push(`key ${key} gave ${before}, then ${reservationId}`);
    answers.set(`${userId} ${key}`, reservationId);
  }
}

/** Every captured payment is served or refunded, exactly once, never both, never neither. */
function checkCharges(problems: string[], side: PaymentSide, byId: ReadonlyMap<number, Row>): void {
  const charges = side.charges();
  const sessions = new Map(side.sessions().map((session) => [session.id, session]));
  const refunds = groupBy(side.refunds(), ({ paymentIntentId }) => paymentIntentId);
  const perReservation = groupBy(charges, ({ sessionId }) => sessions.get(sessionId)?.reservationId);
  const captured = new Set(charges.map(({ paymentIntentId }) => paymentIntentId));
  for (const { sessionId, paymentIntentId, amount, chargedAtMs } of charges) {
    const session = sessions.get(sessionId);
    const row = byId.get(session?.reservationId ?? 0);
    if (!row || !session) {
      problems.push(`charge ${paymentIntentId} has no reservation`);
      continue;
    }
    const all = refunds.get(paymentIntentId) ?? [];
    const given = all.filter(({ status }) => status !== 'failed' && status !== 'canceled');
    const ours = given.filter(({ ledgerId }) => ledgerId !== undefined);
    const back = given.reduce((sum, refund) => sum + refund.amount, 0);
    const isOutside = given.length > ours.length || side.isDisputed(paymentIntentId);
    const serves = row.status === 'served' && row.paymentIntentId === paymentIntentId;
    const name = `charge ${paymentIntentId} of ${row.id} (${row.status})`;
    if (back > amount) problems.push(`${name}: ${back} of ${amount} refunded`);
    if (ours.length > 1) problems.push(`${name}: refunded ${ours.length} times`);
    if (serves && ours.length > 0) problems.push(`${name}: served and refunded`);
    if (isOutside) continue;
    if (!serves && back !== amount)
      problems.push(`${name}: neither served nor refunded in full (${back} of ${amount})`);
    // The provider itself takes no money for a voucher that has lapsed.
    const deadlineMs = session.hasVoucher ? row.slotStartsAtMs : Math.min(row.holdExpiresAtMs, row.slotStartsAtMs);
    const inTime = chargedAtMs < deadlineMs;
    if (serves && !inTime) problems.push(`${name}: charged late, and served`);
    if (serves && amount !== 3_000) problems.push(`${name}: another amount, and served`);
    const only = perReservation.get(row.id)?.length === 1;
    const excused = row.givenUp || row.wanted || row.unrenderable || !only || amount !== 3_000;
    if (inTime && !serves && !excused) problems.push(`${name}: charged in time, and not served`);
  }
  for (const row of byId.values()) {
    if (row.status !== 'served') continue;
    if (!captured.has(row.paymentIntentId ?? '')) problems.push(`${row.id} was served without money`);
  }
}

/** Every reservation's history is a path in the declared table. */
async function checkJournal(problems: string[], world: BookingWorld): Promise<void> {
  const steps = await world.rows<{ id: number; from: ReservationStatus; to: ReservationStatus; event: string }>(
    `select reservation_id as id, from_status as "from", to_status as "to", event from @reservation_journal j
     where to_status is not null and reservation_id is not null order by j.id`,
  );
  const at = new Map<number, ReservationStatus>();
  for (const { id, from, to, event } of steps) {
    const stands = at.get(id) ?? 'hold';
    if (stands !== from) problems.push(`${id} was ${stands}, but "${event}" began at ${from}`);
    if (!isDeclared(reservationMoves, from, to)) problems.push(`${id}: ${from} → ${to} by "${event}" is not declared`);
    at.set(id, to);
  }
}

/** One mail per cause; and every refund that was given is told. */
async function checkMails(problems: string[], world: BookingWorld): Promise<void> {
  const bodies = new Map<string, string>();
  const perReservation = new Map<string, Set<string>>();
  for (const mail of world.mails) {
    const body = JSON.stringify([mail.to, mail.template, mail.data.reservationId]);
    const before = bodies.get(mail.key) ?? body;
    if (before !== body) problems.push(`mail ${mail.key} said two things`);
    bodies.set(mail.key, body);
    const once = `${mail.template} ${mail.data.reservationId}`;
    perReservation.set(once, (perReservation.get(once) ?? new Set()).add(mail.key));
  }
  for (const template of ['reservation-confirmed', 'reservation-cancelled', 'payment-pending']) {
    for (const [once, keys] of perReservation) {
      if (once.startsWith(`${template} `) && keys.size > 1) problems.push(`${once} was told ${keys.size} times`);
    }
  }
  const untold = await world.rows<{ id: number; cause: string }>(
    `select f.id, f.cause from @refunds f
     where f.origin = 'automatic' and f.state = 'succeeded'
       and not exists (select from @notifications n where n.key like '%:refund:' || f.id and n.state = 'sent')`,
  );
  for (const { id, cause } of untold) problems.push(`refund ${id} (${cause}) was told to nobody`);
}

/** Nothing waits for ever. */
async function checkLeftovers(problems: string[], world: BookingWorld): Promise<void> {
  const left = await world.rows<{ what: string }>(
    `select 'effect ' || key || ' is ' || state || ': ' || coalesce(last_error, '') as what
       from @reservation_effects where state <> 'done' and name not in ('reservations.render-check')
         and not (state = 'waiting' and name = 'reservations.refund')
     union all select 'event ' || id || ' waits: ' || coalesce(note, '') from @stripe_events where state = 'received'
     union all select 'payment ' || p.id || ' is unsettled: ' || p.state from @payments p where not p.settled
     union all select 'refund ' || f.id || ' is ' || f.state || ' ' || coalesce(f.reason, '') from @refunds f
       join @payments p on p.id = f.payment_id
       where f.state in ('wanted', 'pending', 'requires_action') and p.dispute_state is distinct from 'open'
     union all select 'notification ' || key || ' waits' from @notifications where state = 'wanted'`,
  );
  problems.push(...left.map(({ what }) => what));
}

function groupBy<T, K>(list: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const one of list) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
}
