/**
 * Rules turned off, one at a time: each is a planted bug that the tests must find. They tamper with the context that
 * the code works on (statements, ports) or with the table; nothing of this exists outside of tests.
 */

import type { PaymentSession } from '../../src/systems/reservations/payment-port.ts';
import {
  priorityTable,
  type ReservationEvent,
  reservationStates,
} from '../../src/systems/reservations/priority-table.ts';
import type { ReservationsContext } from '../../src/systems/reservations/reservations-context.ts';
import type { BookingWorld } from './booking-world.ts';

export type Tamper = (context: ReservationsContext) => ReservationsContext;

let tampered = 0;

/** One statement, changed. A statement that is not changed plants nothing. */
const withSql = (key: keyof ReservationsContext['sql'], part: string | RegExp, by: string): Tamper => {
  const mark = ++tampered;
  return (context) => {
    const { text } = context.sql[key];
    const changed = text.replace(part, by);
    if (changed === text) throw new Error(`${key} has no ${part}`);
    return { ...context, sql: { ...context.sql, [key]: { name: `bug_${mark}_${key}`, text: changed } } };
  };
};

/** Sessions as the code sees them. */
const withSessions =
  (change: (session: PaymentSession, nowMs: number) => PaymentSession, nowMs: () => number): Tamper =>
  (context) => {
    const { payments } = context;
    const see = (session: PaymentSession | undefined): PaymentSession | undefined =>
      session && change(session, nowMs());
    return {
      ...context,
      payments: {
        ...payments,
        getSession: async (id) => see(await payments.getSession(id)),
        expireSession: async (request) => change(await payments.expireSession(request), nowMs()),
      },
    };
  };

/** The outcome is decided by when the news arrives. */
export const decidedByArrival = (nowMs: () => number): Tamper =>
  withSessions(
    (session, now) => (session.chargedAtMs === undefined ? session : { ...session, chargedAtMs: now }),
    nowMs,
  );

/** The sweep frees the slot without asking the provider. */
export const oneStepExpiry: Tamper = withSql(
  'lockDueHolds',
  /exists \(select[^)]*\) as unsettled/,
  'false as unsettled',
);

/** holdSlot frees every overdue hold, paid or not. */
export const lazyFreesAll: Tamper = withSql('listUnsettledOf', 'not p.settled', 'false and not p.settled');

/** "Cannot be closed, already complete" is taken for paid. */
export const completeMeansPaid = (nowMs: () => number): Tamper =>
  withSessions(
    (session) =>
      session.status === 'complete' ? { ...session, paymentStatus: 'paid', chargedAtMs: session.createdAtMs } : session,
    nowMs,
  );

/** The first words about a session are believed for ever. */
export const ownWords: Tamper = (context) => {
  const first = new Map<string, PaymentSession>();
  const hear = (session: PaymentSession): PaymentSession => {
    if (session.status === 'open') return session;
    const said = first.get(session.id) ?? session;
    first.set(session.id, said);
    return said;
  };
  return withSessions(hear, () => 0)(context);
};

/** One refund row per cause. The index that forbids it is gone, too. */
export const refundPerCause: Tamper = withSql(
  'requestRefund',
  "on conflict (payment_id) where origin = 'automatic' do nothing",
  '/* no conflict */',
);

export async function dropRefundIndex(world: BookingWorld): Promise<void> {
  await world.rows('drop index @refunds_one_automatic');
}

/** Reinstating looks at the slot only. */
export const reinstateBlindly: Tamper = withSql('listRefunds', 'where f.payment_id', 'where false and f.payment_id');

/** Cancelling has no end. */
export const cancelForEver: Tamper = withSql('lockReservation', /r\.slot_starts_at <= \S+ as begun/, 'false as begun');

/** The timer looks at the state of the video only. */
export const timerWithoutFailure: Tamper = withSql('lockVideo', 'v.failure,', '1 as failure,');

/** The refund job does not look before it sends. */
export const refundBlindly: Tamper = (context) => ({
  ...context,
  payments: { ...context.payments, listRefunds: async () => [] },
});

/** A voucher counts only if it was heard of before it was paid. */
export const vouchersForgotten: Tamper = withSessions(
  ({ paidLater: _, ...session }) => session,
  () => 0,
);

/** Keys of ours do not reach the wire. */
export const keysOfTheSdk: Tamper = (context) => {
  const { payments } = context;
  const unkeyed = <T extends { readonly idempotencyKey: string }>(request: T): T => ({
    ...request,
    idempotencyKey: context.random.hex(16),
  });
  return {
    ...context,
    payments: {
      ...payments,
      createSession: (request) => payments.createSession(unkeyed(request)),
      expireSession: (request) => payments.expireSession(unkeyed(request)),
      createRefund: (request) => payments.createRefund(unkeyed(request)),
    },
  };
};

/** Effects are enqueued after the transaction of their change, by a process that may be dead by then. */
export const effectsOutside: Tamper = (context) => {
  const { effects, database } = context;
  const later: (() => Promise<unknown>)[] = [];
  return {
    ...context,
    effects: {
      ...effects,
      enqueue: async (_, name, payload, options) => {
        later.push(() => effects.enqueue(database, name, payload, options));
        return true;
      },
    },
    database: {
      ...database,
      async transaction(work) {
        later.length = 0;
        const result = await database.transaction(work);
        for (const enqueue of later.splice(0)) await enqueue();
        return result;
      },
    },
  };
};

/** The slot's unique index is gone. */
export async function dropSlotIndex(world: BookingWorld): Promise<void> {
  await world.rows('drop index @reservations_slot_unique');
}

/** The same key makes another hold. */
export const keysForgotten: Tamper = withSql(
  'findHoldByKey',
  'where r.user_id = $1::bigint and r.idempotency_key',
  'where false and r.idempotency_key',
);

export async function dropKeyIndex(world: BookingWorld): Promise<void> {
  await world.rows('drop index @reservations_idempotency_key_idx');
}

/** Changes one cell of the table while `work` runs. */
export async function withCell<T>(
  event: ReservationEvent,
  state: (typeof reservationStates)[number],
  cell: string,
  work: () => Promise<T>,
): Promise<T> {
  const row = priorityTable[event] as unknown as string[];
  const at = reservationStates.indexOf(state);
  const before = row[at] as string;
  row[at] = cell;
  try {
    return await work();
  } finally {
    row[at] = before;
  }
}
