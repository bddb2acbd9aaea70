import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatMoney, formatStart, languageOf } from '../../book/format-booking.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { lookOfReservation } from './reservation-look.ts';
import { useFoundReservations } from './use-bookings.ts';

/** What was searched for, of any day, the newest first. */
export function FoundReservations({
  text,
  problems,
  timeZone,
}: {
  readonly text: string;
  readonly problems: boolean;
  readonly timeZone: string;
}) {
  const { t, i18n } = useTranslation('bookings');
  const language = languageOf(i18n.language);
  const { data, hasNextPage, fetchNextPage } = useFoundReservations(text, problems);
  const found = data?.pages.flatMap(({ reservations }) => reservations) ?? [];
  if (data && found.length === 0) {
    return (
      <div className="card empty after-filters">
        <h3>{problems ? t('races.noAlerts') : t('nothing', { text })}</h3>
      </div>
    );
  }
  return (
    <div className="card after-filters">
      <table className="tbl cards">
        <thead>
          <tr>
            <th>{t('col.when')}</th>
            <th>{t('col.state')}</th>
            <th>{t('col.film')}</th>
            <th>{t('col.customer')}</th>
            <th className="r">{t('col.amount')}</th>
          </tr>
        </thead>
        <tbody>
          {found.map((row) => {
            const { word, state, icon } = lookOfReservation(row);
            return (
              <tr key={row.id}>
                <td>
                  <Link to="/reservations/$id" params={{ id: String(row.id) }}>
                    {formatStart(row.projectionDate, row.slotStartsAtMs, timeZone, language)}
                  </Link>
                </td>
                <td>
                  <StateBadge state={state} icon={icon} word={t(`state.${word}`)} />
                </td>
                <td data-l={t('col.film')}>{row.title}</td>
                <td data-l={t('col.customer')}>{row.customerName}</td>
                <td className="r" data-l={t('col.amount')}>
                  {formatMoney(row.amount, row.currency, language)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {hasNextPage && (
        <div className="card-f">
          <button type="button" className="btn sm" onClick={() => void fetchNextPage()}>
            {t('more')}
          </button>
        </div>
      )}
    </div>
  );
}
