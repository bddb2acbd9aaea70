import { useTranslation } from 'react-i18next';
import type { BookingSessionReply } from '../../../src/server/index.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { CancelButton } from './cancel-button.tsx';
import { formatStart, languageOf, quoteTitle } from './format-booking.ts';
import { lookOf } from './look-of.ts';
import { PlaceLink } from './place-link.tsx';
import { useOwnReservations } from './use-booking.ts';

/** The customer's bookings, the newest first. */
export function OwnList({ session }: { readonly session: BookingSessionReply }) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  const { data } = useOwnReservations();
  if (!data) return <div className="waiting" />;
  if (data.length === 0) {
    return (
      <>
        <p className="strong">{t('none.title')}</p>
        <p className="fine">{t('none.text')}</p>
        <div className="btns">
          <PlaceLink className="btn primary" to="/book">
            {t('none.do')}
          </PlaceLink>
        </div>
      </>
    );
  }
  return (
    <ul className="resl">
      {data.map((own) => (
        <li key={own.id}>
          <div>
            <PlaceLink className="strong" to={`/book/${own.id}`}>
              {formatStart(own.projectionDate, own.startsAtMs, session.site.timeZone, language)}
            </PlaceLink>
            <div className="fine">{quoteTitle(own.title, language)}</div>
          </div>
          <span className="push">
            <StateBadge {...lookOf(own.state)} word={t(`state.${own.state}`)} />
          </span>
          {own.canCancel && own.state !== 'kept' && <CancelButton session={session} reservation={own} wide />}
        </li>
      ))}
    </ul>
  );
}
