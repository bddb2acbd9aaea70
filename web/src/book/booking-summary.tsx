import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatMoney, formatStart, formatTime, languageOf, quoteTitle } from './format-booking.ts';

export interface BookingSummaryProps {
  readonly film: string;
  readonly date: string;
  readonly offer: { readonly startsAtMs: number; readonly endsAtMs: number } | undefined;
  readonly timeZone: string;
  readonly amount: { readonly amount: number; readonly currency: string } | undefined;
  readonly email?: string;
  readonly children?: ReactNode;
}

/** What is being booked, and what it costs. */
export function BookingSummary({ film, date, offer, timeZone, amount, email, children }: BookingSummaryProps) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  return (
    <aside className="panel sumy">
      <h2>{t('summary.title')}</h2>
      <dl>
        <dt>{t('summary.film')}</dt>
        <dd>{film === '' ? '–' : quoteTitle(film, language)}</dd>
        <dt>{t('summary.when')}</dt>
        <dd>
          {offer
            ? t('summary.range', {
                start: formatStart(date, offer.startsAtMs, timeZone, language),
                to: formatTime(offer.endsAtMs, timeZone, language),
              })
            : '–'}
        </dd>
        {email !== undefined && (
          <>
            <dt>{t('summary.mailTo')}</dt>
            <dd>{email}</dd>
          </>
        )}
      </dl>
      <div className="tot">
        <span>{t('summary.total')}</span>
        <b>{amount ? formatMoney(amount.amount, amount.currency, language) : ''}</b>
      </div>
      {children}
    </aside>
  );
}
