/** The story in two sentences, and its path in at most five steps. */
import type { TFunction } from 'i18next';
import type { StoryReply } from '../../../../src/server/index.ts';
import { bookingLooks } from '../../parts/booking-looks.ts';
import type { StoryFormats } from './story-entries.ts';

type Story = StoryReply['story'];

export interface InShort {
  readonly text: string;
  /** Nothing is asked of the reader. */
  readonly isOver: boolean;
}

export function inShort(story: Story, t: TFunction<'bookings'>, { time, money, span }: StoryFormats): InShort {
  const { reservation: r, payments, refunds, renders, journal } = story;
  const amount = money(r.refundAmount ?? r.amount);
  const charged = payments.find(({ chargedAtMs }) => chargedAtMs !== null)?.chargedAtMs ?? null;
  const late = charged === null ? '' : span(Math.max(charged - r.holdExpiresAtMs, 0));
  const canceller = journal.find(({ to }) => to === 'cancelled')?.actor ?? 'system';
  const who = canceller.startsWith('user:')
    ? t('story.whoCustomer')
    : canceller.startsWith('admin:')
      ? canceller.slice(6)
      : t('story.whoSystem');
  const isRefunded = r.refundState === 'succeeded';
  if (r.problem === 'refund-parked') {
    const n = refunds.find(({ state }) => state === 'manual')?.failures ?? 0;
    return { text: t('story.refund-parked', { amount, name: r.customerName, n }), isOver: false };
  }
  if (r.problem === 'render-failed') {
    const n = renders.filter(({ state }) => state === 'failed').length;
    return { text: t('story.render-failed', { n }), isOver: false };
  }
  if (r.problem !== null) return { text: t(`story.${r.problem}`), isOver: false };
  switch (r.status) {
    case 'hold':
      return r.overdue
        ? { text: t('story.expiring', { time: time(r.holdExpiresAtMs) }), isOver: false }
        : { text: t('story.hold', { time: time(r.holdExpiresAtMs) }), isOver: true };
    case 'expiring':
      return { text: t('story.expiring', { time: time(r.holdExpiresAtMs) }), isOver: true };
    case 'payment_pending':
      return { text: t('story.payment_pending', { until: time(r.payUntilMs ?? r.slotStartsAtMs) }), isOver: true };
    case 'confirmed':
      return {
        text: t('story.confirmed', { amount: money(r.amount), film: t(`story.film.${r.videoStatus}`) }),
        isOver: true,
      };
    case 'served':
      return { text: t('story.served'), isOver: true };
    case 'expired': {
      if (r.refundState === null) return { text: t('story.expired', { time: time(r.holdExpiresAtMs) }), isOver: true };
      const key = isRefunded ? 'story.expiredRefunded' : 'story.expiredRefunding';
      return { text: t(key, { time: time(r.holdExpiresAtMs), late }), isOver: true };
    }
    case 'cancelled':
      if (r.refundState === null) return { text: t('story.cancelled', { who }), isOver: true };
      if (r.refundCause === 'render-failed') return { text: t('story.renderRefunded', { amount }), isOver: true };
      return {
        text: t(isRefunded ? 'story.cancelledRefunded' : 'story.cancelledRefunding', { who, amount }),
        isOver: true,
      };
  }
}

export interface PathStep {
  readonly state: string;
  readonly icon: string;
  readonly word: string;
  readonly text: string;
}

export function pathOf(
  story: Story,
  t: TFunction<'bookings'>,
  { time, money, span }: StoryFormats,
): readonly PathStep[] {
  const { reservation: r, payments, refunds, mails, journal } = story;
  const deadline = r.holdExpiresAtMs;
  const at = (to: string): number | undefined => journal.find((entry) => entry.to === to)?.atMs;
  const charged = payments.find(({ chargedAtMs }) => chargedAtMs !== null);
  const refund = refunds.find(({ state }) => state === 'succeeded');
  const sent = mails.filter(({ state }) => state === 'sent');
  const lastMail = sent.at(-1)?.finishedAtMs;
  const expiredAt = at('expired');
  const confirmedAt = at('confirmed');
  const cancelledAt = at('cancelled');
  const isLate = charged?.chargedAtMs != null && charged.chargedAtMs > deadline;
  return [
    {
      ...bookingLooks.hold,
      word: t('state.hold'),
      text: t('story.span', { from: time(r.createdAtMs), to: time(deadline) }),
    },
    ...(expiredAt === undefined
      ? []
      : [
          {
            ...bookingLooks.expired,
            word: t('state.expired'),
            text: t('story.usedUp', { span: span(deadline - r.createdAtMs) }),
          },
        ]),
    ...(charged?.chargedAtMs == null
      ? []
      : [
          {
            state: isLate ? 'warn' : 'info',
            icon: isLate ? 's-warn' : 'card',
            word: isLate ? t('story.paidLate') : t('story.paid'),
            text: isLate
              ? t('story.lateBy', { amount: money(charged.amount), late: span(charged.chargedAtMs - deadline) })
              : t('story.at', { amount: money(charged.amount), time: time(charged.chargedAtMs) }),
          },
        ]),
    ...(confirmedAt === undefined
      ? []
      : [{ ...bookingLooks.confirmed, word: t('state.confirmed'), text: time(confirmedAt) }]),
    ...(cancelledAt === undefined
      ? []
      : [{ ...bookingLooks.cancelled, word: t('state.cancelled'), text: time(cancelledAt) }]),
    ...(!refund
      ? []
      : [
          {
            ...bookingLooks.refunded,
            word: t('state.refunded'),
            text: t('story.at', {
              amount: money(refund.amount),
              time: time(refund.finishedAtMs ?? refund.requestedAtMs),
            }),
          },
        ]),
    ...(lastMail == null
      ? []
      : [
          {
            state: 'ok',
            icon: 's-succeeded',
            word: t('story.told'),
            text: t('story.mails', { count: sent.length, time: time(lastMail) }),
          },
        ]),
  ];
}
