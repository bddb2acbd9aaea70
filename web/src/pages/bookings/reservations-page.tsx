/** A week of slots: what is normal is quiet, holds count down, problems are red. */
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { addDays, formatDays, languageOf } from '../../book/format-booking.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import type { BookingSearch } from './booking-search.ts';
import { DayGrid } from './day-grid.tsx';
import { FoundReservations } from './found-reservations.tsx';
import { lookOfReservation } from './reservation-look.ts';
import { useWeek } from './use-bookings.ts';

export function ReservationsPage() {
  const { t, i18n } = useTranslation('bookings');
  const language = languageOf(i18n.language);
  const navigate = useNavigate();
  const { from, q = '', problems = false }: BookingSearch = useSearch({ strict: false });
  const { data, error, refetch } = useWeek(from);
  const show = (search: BookingSearch): void => void navigate({ to: '/reservations', search, replace: true });
  const first = data?.days[0]?.date;
  const last = data?.days.at(-1)?.date;
  const counts = countStates(data?.reservations ?? []);
  const isFinding = q !== '' || problems;
  return (
    <>
      <div className="page-h">
        <h1>{t('title')}</h1>
        {data && first && last && (
          <span className="sub">
            {data.name} · {formatDays(first, last, language)}
          </span>
        )}
        <div className="push row">
          <fieldset className="seg">
            <legend className="sr">{t('week')}</legend>
            <button
              type="button"
              aria-label={t('earlier')}
              disabled={!first}
              onClick={() => first && show({ from: addDays(first, -7) })}
            >
              <Icon name="left" small />
            </button>
            <button type="button" onClick={() => show({})}>
              {t('today')}
            </button>
            <button
              type="button"
              aria-label={t('later')}
              disabled={!first}
              onClick={() => first && show({ from: addDays(first, 7) })}
            >
              <Icon name="right" small />
            </button>
          </fieldset>
          <a className="btn" href="/book">
            <Icon name="ext" />
            {t('customerPage')}
          </a>
        </div>
      </div>
      <search className="filters" aria-label={t('findLabel')}>
        <Icon name="search" />
        <input
          aria-label={t('find')}
          placeholder={t('find')}
          value={q}
          maxLength={200}
          onChange={({ target }) => show({ ...(from && { from }), ...(target.value !== '' && { q: target.value }) })}
        />
        {isFinding && (
          <button type="button" className="btn sm ghost" onClick={() => show({ ...(from && { from }) })}>
            {t('drop')}
          </button>
        )}
      </search>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      {data && !isFinding && (
        <>
          <div className="sum after-filters">
            {counts.manual > 0 && (
              <span data-state="manual">
                <span className="dot" />
                <Link to="/reservations" search={{ problems: true }}>
                  {t('needPerson', { count: counts.manual })}
                </Link>
              </span>
            )}
            <span data-state="hold">
              <span className="dot" />
              {t('counting', { count: counts.hold })}
            </span>
            <span data-state="payment-pending">
              <span className="dot" />
              {t('paying', { count: counts.payment_pending })}
            </span>
            <span data-state="confirmed">
              <span className="dot" />
              {t('confirmedCount', { count: counts.confirmed })}
            </span>
            <span data-state="refunded">
              <span className="dot" />
              {t('refundedCount', { count: counts.refunded })}
            </span>
            <span className="push mute xs no-s">
              {t('zone', { zone: data.timeZone, minutes: Math.round(data.holdMs / 60_000) })}
            </span>
          </div>
          <DayGrid week={data} />
        </>
      )}
      {isFinding && <FoundReservations text={q} problems={problems} timeZone={data?.timeZone ?? 'UTC'} />}
    </>
  );
}

function countStates(
  reservations: readonly Parameters<typeof lookOfReservation>[0][],
): Record<'manual' | 'hold' | 'payment_pending' | 'confirmed' | 'refunded', number> {
  const counts = { manual: 0, hold: 0, payment_pending: 0, confirmed: 0, refunded: 0 };
  for (const reservation of reservations) {
    const { word } = lookOfReservation(reservation);
    if (word in counts) counts[word as keyof typeof counts] += 1;
  }
  return counts;
}
