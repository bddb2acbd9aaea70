/**
 * Takes a slot for a while. One statement where nobody is in the way; the slot's unique index decides between two at
 * once. Who finds it occupied learns by whom:
 *
 *   own hold of the same video      handed back, its time unchanged, and remembered under the new key
 *   overdue, no session             freed in this very transaction, then taken
 *   overdue, or expiring, session   the last holder may have paid: SLOT_SETTLING, and the settling is set going
 *   anything else                   SLOT_ALREADY_TAKEN
 *
 * A key belongs to a customer and to one request: it gets one answer for ever, with the status of now; another request
 * under it is refused whatever became of the first.
 */
import { type Acting, type Actor, localeOf, nameActor } from './actor.ts';
import { AppError } from './app-error.ts';
import { applyEvent } from './apply-event.ts';
import { type CalendarSlot, checkDay, findSlot } from './calendar.ts';
import { customerError } from './error-texts.ts';
import { decideRuling, type ReservationStatus } from './priority-table.ts';
import { writeRaceLog } from './race-log.ts';
import { type PaymentRow, type ReservationRow, stateOf } from './reservation-row.ts';
import { changes, queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';

export interface HoldSlotInput {
  readonly videoId: number;
  /** A calendar day, `YYYY-MM-DD`. */
  readonly projectionDate: string;
  readonly slotNumber: number;
  /** UUID v4, made by the client for this request. */
  readonly idempotencyKey: string;
}

export interface HoldSlotResult {
  readonly reservationId: number;
  /** Milliseconds since 1970, by the database's clock. */
  readonly expiresAt: number;
  readonly status: ReservationStatus;
  /** The answer was given before, under this key or to the same customer. */
  readonly replayed: boolean;
}

interface SlotHolder {
  readonly videoFound: boolean;
  readonly slotBegun: boolean;
  readonly id: number | null;
  readonly userId: number;
  readonly videoId: number;
  readonly status: ReservationStatus;
  readonly overdue: boolean;
  readonly nowMs: number;
}

interface Wish extends HoldSlotInput {
  readonly userId: number;
  readonly actor: Actor;
  readonly slot: CalendarSlot;
  readonly amount: number;
  readonly currency: string;
}

type HoldRow = Pick<ReservationRow, 'id' | 'status' | 'holdExpiresAtMs'>;

/** Each round means that somebody else has just freed or taken the slot. */
const roundsMax = 5;
const settlingHintMs = 3_000;

export async function holdSlot(
  c: ReservationsContext,
  input: HoldSlotInput,
  { actor }: Acting,
): Promise<HoldSlotResult> {
  const wish = await checkWish(c, input, actor);
  for (let round = 0; round < roundsMax; round++) {
    const answer = (await tryInsert(c, wish)) ?? (await recall(c, wish)) ?? (await meetHolder(c, wish));
    if (answer) return answer;
  }
  throw customerError('SLOT_SETTLING', localeOf(actor), { retryable: true, retryAfterMs: settlingHintMs });
}

async function checkWish(c: ReservationsContext, input: HoldSlotInput, actor: Actor): Promise<Wish> {
  if (actor.kind !== 'user') {
    throw new AppError('A slot is held by a customer: give an actor of kind "user".', { code: 'INVALID_ARGUMENT' });
  }
  const { videoId, slotNumber, idempotencyKey } = input;
  const projectionDate = checkDay(input.projectionDate);
  if (!Number.isSafeInteger(videoId) || videoId < 1) {
    throw new AppError(`videoId must be a whole number from 1, got ${String(videoId)}.`, { code: 'INVALID_ARGUMENT' });
  }
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(idempotencyKey)) {
    throw new AppError('idempotencyKey must be a UUID v4, made anew for every request.', { code: 'INVALID_ARGUMENT' });
  }
  const slot = findSlot(c.calendar, projectionDate, slotNumber);
  if (!slot) throw customerError('SLOT_NOT_OFFERED', localeOf(actor));
  const { amount, currency } = await c.price({ projectionDate, slotNumber });
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > 2_147_483_647 || !/^[a-z]{3}$/i.test(currency)) {
    throw new AppError(
      `The price of a slot must be a whole number above 0 and a currency, got ${amount} ${currency}.`,
      {
        code: 'INVALID_ARGUMENT',
      },
    );
  }
  return {
    videoId,
    projectionDate,
    slotNumber,
    idempotencyKey: idempotencyKey.toLowerCase(),
    userId: actor.id,
    actor,
    slot,
    amount,
    currency: currency.toLowerCase(),
  };
}

/** Undefined: the key is used, or somebody is in the way. */
async function tryInsert(c: ReservationsContext, wish: Wish): Promise<HoldSlotResult | undefined> {
  const row = await queryOne<HoldRow>(c.database, c.sql.insertHold, [
    wish.userId,
    wish.idempotencyKey,
    wish.videoId,
    wish.projectionDate,
    wish.slotNumber,
    wish.slot.startsAt,
    c.calendar.timeZone,
    wish.amount,
    wish.currency,
    c.settings.holdMs,
  ]);
  return row && toResult(row, false);
}

/** What this key was told before. Undefined: it is new. */
async function recall(c: ReservationsContext, wish: Wish): Promise<HoldSlotResult | undefined> {
  const row = await queryOne<ReservationRow>(c.database, c.sql.findHoldByKey, [wish.userId, wish.idempotencyKey]);
  if (!row) return undefined;
  if (!isSameRequest(row, wish)) throw customerError('IDEMPOTENCY_KEY_REUSED', localeOf(wish.actor));
  return toResult(row, true);
}

/** Undefined: the slot has become free; try again. */
async function meetHolder(c: ReservationsContext, wish: Wish): Promise<HoldSlotResult | undefined> {
  const locale = localeOf(wish.actor);
  const holder = await queryOne<SlotHolder>(c.database, c.sql.findSlotHolder, [
    wish.userId,
    wish.videoId,
    wish.projectionDate,
    wish.slotNumber,
    wish.slot.startsAt,
    c.calendar.timeZone,
  ]);
  if (!holder?.videoFound) throw customerError('NOT_FOUND', locale);
  if (holder.slotBegun) throw customerError('SLOT_NOT_OFFERED', locale);
  if (holder.id === null) return undefined;
  const isOwn = holder.userId === wish.userId && holder.videoId === wish.videoId;
  if (isOwn && holder.status === 'hold' && !holder.overdue) return handBack(c, wish, holder.id);
  const ruling = decideRuling(stateOf(holder), 'hold by another');
  if (ruling.kind === 'tell' && ruling.answer === 'settling') return makeWay(c, wish, holder.id);
  await writeRaceLog(c, c.database, {
    scenario: 'SLOT_CONFLICT',
    resolution: 'RETRY',
    reservationId: holder.id,
    details: { holder: holder.status, by: wish.userId },
  });
  throw customerError('SLOT_ALREADY_TAKEN', locale);
}

/** The customer's own hold, met under a new key: the same hold, not a second one and not a refusal. */
async function handBack(c: ReservationsContext, wish: Wish, id: number): Promise<HoldSlotResult | undefined> {
  return c.database.transaction(async (tx) => {
    const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [id]);
    if (row?.status !== 'hold' || row.overdue) return undefined;
    const remembered = await changes(tx, c.sql.insertHoldKey, [wish.userId, wish.idempotencyKey, id]);
    // Used by another request at this very moment: look again under the key.
    return remembered ? toResult(row, true) : undefined;
  });
}

/** Frees what can be freed at once, and sets going what cannot. */
async function makeWay(c: ReservationsContext, wish: Wish, id: number): Promise<HoldSlotResult | undefined> {
  const freed = await c.database.transaction(async (tx) => {
    const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [id]);
    if (!row || !(row.overdue || row.status === 'expiring')) return true;
    const unsettled = await queryAll<PaymentRow>(tx, c.sql.listUnsettledOf, [id]);
    const event = unsettled.length === 0 ? 'settle: session closed unpaid' : 'hold deadline passes / sweep';
    const applied = await applyEvent(c, tx, row, event, { actor: nameActor(wish.actor) });
    return applied.row.status === 'expired';
  });
  if (freed) return undefined;
  throw customerError('SLOT_SETTLING', localeOf(wish.actor), { retryable: true, retryAfterMs: settlingHintMs });
}

function isSameRequest(row: ReservationRow, wish: Wish): boolean {
  return (
    row.videoId === wish.videoId && row.projectionDate === wish.projectionDate && row.slotNumber === wish.slotNumber
  );
}

function toResult(row: HoldRow, replayed: boolean): HoldSlotResult {
  return { reservationId: row.id, expiresAt: row.holdExpiresAtMs, status: row.status, replayed };
}
