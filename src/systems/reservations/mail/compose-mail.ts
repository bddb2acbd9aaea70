/** Makes the text of a mail: one template, two languages, plain text and HTML with the same words. */
import { AppError } from '../app-error.ts';
import type { MailData, MailMessage, MailTemplate } from '../mail-port.ts';
import { englishMailWords } from './english-mail-words.ts';
import { escapeHtml } from './escape-html.ts';
import { formatMoney } from './format-money.ts';
import { formatTime } from './format-time.ts';
import { japaneseMailWords } from './japanese-mail-words.ts';
import type { MailFacts } from './mail-words.ts';

export interface ComposedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What a template cannot do without; a mail with a hole in it is never sent. */
const needs: Readonly<Record<MailTemplate, readonly ('amount' | 'refundAmount' | 'untilMs')[]>> = {
  'payment-failed': [],
  'payment-pending': ['amount'],
  'refund-completed': ['refundAmount'],
  'refund-needs-account': ['refundAmount'],
  'render-delayed': ['amount', 'untilMs'],
  'render-failed-refunded': ['refundAmount'],
  'reservation-cancelled': [],
  'reservation-cancelled-refunded': ['refundAmount'],
  'reservation-confirmed': ['amount'],
  'reservation-expired-refunded': ['refundAmount'],
};

export function composeMail({
  template,
  locale,
  data,
}: Pick<MailMessage, 'template' | 'locale' | 'data'>): ComposedMail {
  const absent = needs[template].find((field) => data[field] === undefined);
  if (absent) {
    throw new AppError(`The mail "${template}" of reservation ${data.reservationId} needs ${absent}: pass it.`, {
      code: 'INVALID_ARGUMENT',
    });
  }
  const facts = factsOf(data, locale);
  const words = locale === 'ja' ? japaneseMailWords : englishMailWords;
  const { subject, paragraphs } = words.templates[template](facts);
  const lines = [words.greeting(facts), ...paragraphs, words.booking(data.reservationId, facts)];
  return { subject, text: `${lines.join('\n\n')}\n`, html: htmlOf(subject, lines, locale) };
}

function factsOf(data: MailData, locale: MailMessage['locale']): MailFacts {
  const money = (amount: number | undefined): string =>
    amount === undefined ? '' : formatMoney(amount, data.currency ?? 'jpy', locale);
  return {
    name: oneLine(data.customerName),
    film: oneLine(data.videoTitle),
    time: formatTime(data.slotStartsAtMs, data.timeZone, locale),
    amount: money(data.amount),
    refund: money(data.refundAmount),
    ...(data.untilMs !== undefined && { until: formatTime(data.untilMs, data.timeZone, locale) }),
  };
}

/** Names come from customers: a line break in one could forge a header or a paragraph of ours. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** No pictures, no links, no style sheet: nothing to load, nothing to track. */
function htmlOf(subject: string, lines: readonly string[], locale: string): string {
  const paragraphs = lines.map((line, index) =>
    index === lines.length - 1
      ? `<p style="margin:24px 0 0;padding-top:12px;border-top:1px solid #e3e5ea;color:#626874">${escapeHtml(line)}</p>`
      : `<p style="margin:0 0 16px">${escapeHtml(line)}</p>`,
  );
  return [
    '<!doctype html>',
    `<html lang="${locale}"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    '<body style="margin:0;padding:24px;background:#ffffff;color:#16181d;font:16px/1.7 sans-serif">',
    `<div style="max-width:560px">${paragraphs.join('\n')}</div>`,
    '</body></html>',
    '',
  ].join('\n');
}
