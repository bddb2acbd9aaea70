import type { MailWords } from './mail-words.ts';

export const englishMailWords: MailWords = {
  greeting: ({ name }) => `Dear ${name},`,
  booking: (reservationId, { film, time }) => `Booking ${reservationId}: “${film}”, ${time}`,
  templates: {
    'reservation-confirmed': ({ time, film, amount }) => ({
      subject: `Booked: ${time}`,
      paragraphs: [
        `Your booking is confirmed: “${film}” on ${time}.`,
        `We received ${amount}. We are preparing your film now. You need to do nothing.`,
        'If your plans change you can cancel until it begins. You get the whole amount back.',
      ],
    }),
    'reservation-cancelled': ({ time }) => ({
      subject: `Cancelled: ${time}`,
      paragraphs: [`Your booking for ${time} is cancelled.`, 'You have not been charged. Nothing is left to do.'],
    }),
    'reservation-cancelled-refunded': ({ time, refund }) => ({
      subject: `Cancelled, ${refund} is on its way back`,
      paragraphs: [
        `Your booking for ${time} is cancelled.`,
        `${refund} is on its way back by the way you paid. It can take a few days until your statement shows it.`,
        'Nothing is left to do.',
      ],
    }),
    'reservation-expired-refunded': ({ time, refund }) => ({
      subject: `The time ran out; we gave back ${refund}`,
      paragraphs: [
        `The time we kept ${time} for you ran out just before your payment arrived.`,
        `We gave back ${refund} at once, by itself. It can take a few days until your card statement shows it. We are sorry for the trouble.`,
        'You are welcome to choose a time again and book it.',
      ],
    }),
    'payment-pending': ({ time, amount, until }) => ({
      subject: until === undefined ? `Please pay ${amount}` : `Please pay ${amount} by ${until}`,
      paragraphs: [
        `${time} is kept for you. Your booking is confirmed as soon as your payment of ${amount} arrives.`,
        until === undefined
          ? 'Please pay as your voucher says.'
          : `Please pay by ${until}. After that the time is free for others again.`,
      ],
    }),
    'payment-failed': ({ time }) => ({
      subject: `Your payment did not arrive: ${time}`,
      paragraphs: [
        `The payment for ${time} did not come through.`,
        `You have not been charged. If ${time} is still free you can take it again.`,
      ],
    }),
    'refund-completed': ({ refund }) => ({
      subject: `${refund} is given back`,
      paragraphs: [
        `The refund of ${refund} is complete.`,
        'It can take a few days until your statement shows it. Nothing is left to do.',
      ],
    }),
    'refund-needs-account': ({ refund, until }) => ({
      subject: `Where shall ${refund} go?`,
      paragraphs: [
        `You get ${refund} back. The way you paid cannot take money back, so we need to know your bank account.`,
        `Our payment provider has sent you a mail that asks for it. Please answer it${until === undefined ? '' : ` by ${until}`}; the rest happens by itself.`,
      ],
    }),
    'render-delayed': ({ film, amount, until }) => ({
      subject: 'Your film needs more time',
      paragraphs: [
        `Your film “${film}” needs more time: it could not be prepared yet. We are working on it.`,
        `If it cannot be ready by ${until}, you get ${amount} back by itself and need to do nothing.`,
      ],
    }),
    'render-failed-refunded': ({ film, time, refund }) => ({
      subject: `We could not prepare your film; we gave back ${refund}`,
      paragraphs: [
        `We could not prepare your film “${film}”, so we cancelled your booking for ${time} and gave back ${refund}, by itself.`,
        'It can take a few days until your statement shows it. We are sorry. Write to us and we help you try again.',
      ],
    }),
  },
};
