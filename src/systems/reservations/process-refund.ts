/**
 * The refund job. The ledger is ours and for ever; the provider's memory of a key ends after a day.
 *
 *   1. A payment in dispute waits; one that the bank took back is superseded.
 *   2. Look first, always: what the provider lists decides. A refund of ours that is there is recorded, not repeated.
 *   3. The generation and the amount are written down before the call; the key is made from row and generation.
 *   4. Silence leaves everything as it is: the next run looks again, with the same key.
 *   5. Only a definite failure raises the generation. After the last one a person is asked.
 *
 * The amount is always what is left of the payment, so that a request which outlives the provider's memory of its key
 * would exceed the payment and is refused by the provider itself.
 */

import type { EffectAnswer, EffectRun } from '../../core/effect-queue.ts';
import { failRefund } from './fail-refund.ts';
import type { ProviderRefund } from './payment-port.ts';
import { recordRefund } from './record-refund.ts';
import { refreshDisputes } from './refresh-disputes.ts';
import { refreshRefunds } from './refresh-refunds.ts';
import { refundEffectKey } from './request-refund.ts';
import type { PaymentRow, RefundRow } from './reservation-row.ts';
import { changes, queryOne, type ReservationsContext } from './reservations-context.ts';

interface RefundWork extends RefundRow {
  readonly paymentIntentId: string | null;
  readonly paidAmount: number | null;
  readonly disputeState: PaymentRow['disputeState'];
  readonly reservationId: number;
  readonly email: string;
}

const hour = 3_600_000;
const done: EffectAnswer = { kind: 'done' };

export async function processRefund(c: ReservationsContext, run: EffectRun): Promise<EffectAnswer> {
  const { refundId } = run.payload as { readonly refundId: number };
  const work = await queryOne<RefundWork>(c.database, c.sql.readRefund, [refundId]);
  if (work?.state !== 'wanted' || work.paymentIntentId === null) return done;
  if (work.disputeState === 'open') {
    await refreshDisputes(c, work.paymentIntentId);
    return { kind: 'again', afterMs: hour };
  }
  if (work.disputeState === 'lost') {
    await c.database.query({
      ...c.sql.recordRefund,
      values: [work.id, 'wanted', 'superseded', null, 'the bank took the money back in a dispute', true],
    });
    return done;
  }
  const listed = await c.payments.listRefunds(work.paymentIntentId);
  const ours = listed.filter((refund) => refund.ledgerId === work.id && !work.seenFailed.includes(refund.id));
  const latest = ours.at(-1);
  if (latest) {
    await recordRefund(c, work.id, latest);
    return done;
  }
  const others = listed.filter((refund) => refund.ledgerId !== work.id).filter(isGiven);
  // The event of a refund that a person made may never come: the ledger learns of it here.
  if (others.length > 0) await refreshRefunds(c, work.paymentIntentId);
  const left = (work.paidAmount ?? work.amount) - sumOf(others);
  if (left <= 0) return supersede(c, work);
  return send(c, work, left);
}

async function send(c: ReservationsContext, work: RefundWork, amount: number): Promise<EffectAnswer> {
  if (!(await changes(c.database, c.sql.sendRefund, [work.id, work.generation, amount]))) return done;
  const answer = await c.payments.createRefund({
    paymentIntentId: work.paymentIntentId as string,
    amount,
    currency: work.currency,
    ledgerId: work.id,
    reservationId: work.reservationId,
    customerEmail: work.email,
    idempotencyKey: refundEffectKey(work.id, work.generation),
  });
  switch (answer.kind) {
    case 'made':
      await recordRefund(c, work.id, answer.refund);
      return done;
    case 'already-refunded':
      return adoptExisting(c, work);
    case 'disputed':
      // Its event may never come: what the provider says of the dispute is looked up.
      await refreshDisputes(c, work.paymentIntentId as string);
      return { kind: 'again', afterMs: hour };
    case 'refused':
      await failRefund(c, work, `${answer.code}: ${answer.message}`, null);
      return done;
  }
}

/** Nothing is left to refund: whoever did it, the customer has the money. */
async function adoptExisting(c: ReservationsContext, work: RefundWork): Promise<EffectAnswer> {
  const listed = await c.payments.listRefunds(work.paymentIntentId as string);
  const ours = listed.filter((refund) => refund.ledgerId === work.id && isGiven(refund)).at(-1);
  if (!ours) {
    await refreshRefunds(c, work.paymentIntentId as string);
    return supersede(c, work);
  }
  await recordRefund(c, work.id, ours);
  return done;
}

async function supersede(c: ReservationsContext, work: RefundWork): Promise<EffectAnswer> {
  await c.database.query({
    ...c.sql.recordRefund,
    values: [work.id, 'wanted', 'superseded', null, 'refunded by a person at the provider', true],
  });
  return done;
}

function isGiven({ status }: ProviderRefund): boolean {
  return status !== 'failed' && status !== 'canceled';
}

function sumOf(refunds: readonly ProviderRefund[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0);
}
