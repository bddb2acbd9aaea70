/** The whole story of a reservation, as the house reads it. */
import { z } from 'zod';
import type { StoryReply } from '../booking-contract.ts';
import { details, id, money, ms, refundCause, refundState, resolution, scenario, shown } from './booking-answers.ts';

const text = z.string();
const note = z.string().nullable();

export const storyAnswer: z.ZodType<StoryReply> = z.object({
  story: z.object({
    reservation: shown,
    journal: z.array(
      z.object({
        id,
        atMs: ms,
        event: text,
        actor: text,
        from: note,
        to: note,
        paymentId: id.nullable(),
        details,
      }),
    ),
    payments: z.array(
      z.object({
        id,
        provider: text,
        state: z.enum(['asked', 'open', 'closed', 'pending', 'failed', 'paid', 'differs', 'never']),
        sessionId: note,
        paymentIntentId: note,
        amount: money,
        currency: text,
        paidAmount: money.nullable(),
        disputeState: z.enum(['open', 'won', 'lost']).nullable(),
        askedAtMs: ms,
        chargedAtMs: ms.nullable(),
      }),
    ),
    refunds: z.array(
      z.object({
        id,
        paymentId: id,
        origin: z.enum(['automatic', 'outside']),
        cause: refundCause,
        state: refundState,
        amount: money,
        currency: text,
        generation: z.int(),
        failures: z.int(),
        reason: note,
        providerRefundId: note,
        requestedAtMs: ms,
        finishedAtMs: ms.nullable(),
      }),
    ),
    mails: z.array(
      z.object({
        id,
        template: text,
        state: z.enum(['wanted', 'sent', 'dropped', 'refused']),
        note,
        messageId: note,
        data: details,
        createdAtMs: ms,
        finishedAtMs: ms.nullable(),
        subject: text,
        text,
      }),
    ),
    races: z.array(z.object({ id, scenario, resolution, atMs: ms, details })),
    events: z.array(z.object({ id: text, type: text, state: text, note, receivedAtMs: ms })),
    renders: z.array(
      z.object({
        attempt: z.int(),
        state: text,
        error: note,
        startedAtMs: ms,
        finishedAtMs: ms.nullable(),
      }),
    ),
  }),
  timeZone: text,
});
