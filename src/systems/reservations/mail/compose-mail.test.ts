import { describe, expect, it } from 'vitest';
import type { MailData, MailTemplate } from '../mail-port.ts';
import { composeMail } from './compose-mail.ts';

const data: MailData = {
  reservationId: 41,
  customerName: 'Hana',
  videoTitle: '光の川',
  projectionDate: '2026-11-21',
  slotNumber: 3,
  slotStartsAtMs: Date.UTC(2026, 10, 21, 10, 0),
  timeZone: 'Asia/Tokyo',
  amount: 8800,
  refundAmount: 8800,
  currency: 'jpy',
  untilMs: Date.UTC(2026, 10, 20, 3, 30),
};

/** What each mail must say, in both languages: the fact, the money, what comes by itself, what to do. */
const says: Readonly<Record<MailTemplate, { readonly en: readonly RegExp[]; readonly ja: readonly RegExp[] }>> = {
  'reservation-confirmed': {
    en: [/confirmed/, /¥8,800/, /Saturday, 21 November, 19:00/, /cancel/],
    ja: [/確定しました/, /8,800円/, /11月21日（土）19:00/, /取り消せます/],
  },
  'reservation-cancelled': {
    en: [/cancelled/, /not been charged/],
    ja: [/取り消しました/, /お支払いは発生していません/],
  },
  'reservation-cancelled-refunded': {
    en: [/cancelled/, /¥8,800 is on its way back/],
    ja: [/取り消しました/, /8,800円 を.*返金します/],
  },
  'reservation-expired-refunded': {
    en: [
      /ran out just before your payment arrived/,
      /gave back ¥8,800 at once, by itself/,
      /sorry/,
      /choose a time again/,
    ],
    ja: [/期限が切れました/, /8,800円 は、自動で全額返金しました/, /申し訳ありません/, /もう一度枠をお選び/],
  },
  'payment-pending': {
    en: [/¥8,800/, /Please pay by Friday, 20 November, 12:30/, /free for others/],
    ja: [/8,800円/, /11月20日（金）12:30 までにお支払いください/],
  },
  'payment-failed': {
    en: [/did not come through/, /not been charged/],
    ja: [/完了しませんでした/, /発生していません/],
  },
  'refund-completed': { en: [/refund of ¥8,800 is complete/], ja: [/8,800円 の返金が完了しました/] },
  'refund-needs-account': {
    en: [/bank account/, /by Friday, 20 November, 12:30/],
    ja: [/銀行口座/, /11月20日（金）12:30 までに/],
  },
  'render-delayed': {
    en: [
      /needs more time/,
      /working on it/,
      /ready by Friday, 20 November, 12:30.*¥8,800 back by itself/,
      /do nothing/,
    ],
    ja: [
      /時間がかかっています/,
      /対応中です/,
      /11月20日（金）12:30 までに間に合わない場合は、8,800円 を自動で返金/,
      /お手続きは不要/,
    ],
  },
  'render-failed-refunded': {
    en: [/could not prepare your film/, /cancelled your booking/, /gave back ¥8,800, by itself/, /sorry/],
    ja: [/動画.*を準備できなかった/, /ご予約を取り消し/, /8,800円 を自動で返金しました/, /申し訳ありません/],
  },
};

const templates = Object.keys(says) as MailTemplate[];

describe.each(templates)('%s', (template) => {
  it.each(['en', 'ja'] as const)('says in %s what it must, in text and in HTML', (locale) => {
    const mail = composeMail({ template, locale, data });
    for (const phrase of says[template][locale]) {
      expect(mail.text).toMatch(phrase);
      expect(mail.html).toMatch(phrase);
    }
    expect(mail.text).toContain(locale === 'ja' ? 'ご予約番号 41' : 'Booking 41');
    expect(mail.html).toContain(`<html lang="${locale}">`);
    expect(mail.subject).not.toMatch(/[\r\n!！]|undefined/);
  });

  it.each(['en', 'ja'] as const)('uses in %s no word that customers do not know, and leaves no hole', (locale) => {
    const { subject, text } = composeMail({ template, locale, data });
    expect(`${subject}\n${text}`).not.toMatch(
      /\b(slot|token|epoch|lease|hold|race|webhook|session)\b|undefined|NaN|スロット|仮押さえ|!|！|\{\{/i,
    );
  });
});

it('escapes what customers wrote', () => {
  const hostile = {
    ...data,
    customerName: '<img src=x onerror=alert(1)>\r\nBcc: all@example.org',
    videoTitle: '"><script>',
  };
  const mail = composeMail({ template: 'render-failed-refunded', locale: 'en', data: hostile });
  expect(mail.html).not.toMatch(/<img|<script|"><s/);
  expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(mail.text).toContain('Dear <img src=x onerror=alert(1)> Bcc: all@example.org,');
});

it('keeps the subject on one line whatever the title is', () => {
  const { subject } = composeMail({
    template: 'reservation-confirmed',
    locale: 'ja',
    data: { ...data, videoTitle: 'a\nb' },
  });
  expect(subject).not.toContain('\n');
});

it.each([
  ['reservation-confirmed', 'amount'],
  ['reservation-expired-refunded', 'refundAmount'],
  ['render-delayed', 'untilMs'],
] as const)('refuses %s without %s', (template, field) => {
  const { [field]: _, ...rest } = data;
  expect(() => composeMail({ template, locale: 'en', data: rest })).toThrowError(
    expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(field) }),
  );
});

it('writes money in minor units', () => {
  const dollars = { ...data, refundAmount: 1250, currency: 'usd' };
  expect(composeMail({ template: 'refund-completed', locale: 'en', data: dollars }).text).toContain('$12.50');
});

it.each(['payment-pending', 'refund-needs-account'] as const)(
  '%s does without an end that nobody named',
  (template) => {
    const { untilMs: _, ...rest } = data;
    for (const locale of ['en', 'ja'] as const) {
      const { subject, text } = composeMail({ template, locale, data: rest });
      expect(`${subject} ${text}`).not.toMatch(/undefined|by \.|by ;| までに(お|ご)|20 November/);
    }
  },
);
