/** The frame of the booking page: the notice of the sandbox, the name of the place, and one of five places. */
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { BookingSessionReply } from '../../../src/server/index.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { changeLanguage } from '../words/change-language.ts';
import { CheckoutPage } from './checkout-page.tsx';
import { OwnPage } from './own-page.tsx';
import { PickPage } from './pick-page.tsx';
import { PlaceLink } from './place-link.tsx';
import { ReservationPage } from './reservation-page.tsx';
import { useBookingSession } from './use-booking.ts';
import { usePath } from './use-path.ts';

export function BookApp() {
  const { t } = useTranslation('book');
  const { data, error, refetch } = useBookingSession();
  const name = data?.site.name ?? '';
  return (
    <>
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      {data?.sandbox && (
        <aside className="sandbox-bar" aria-label={t('notice')}>
          {t('practice')}
        </aside>
      )}
      <div className="bk">
        <header className="bh">
          <PlaceLink className="nm" to="/book">
            <img src="/wall-logo.svg" alt="" />
            <span>{name}</span>
          </PlaceLink>
          <nav aria-label={t('menu')}>
            <PlaceLink to="/book/mine">{t('mine')}</PlaceLink>
            <button
              type="button"
              lang={t('otherLanguageCode')}
              onClick={() => void changeLanguage(t('otherLanguageCode'))}
            >
              {t('otherLanguage')}
            </button>
          </nav>
        </header>
        <main id="main" tabIndex={-1}>
          {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
          {data && <Place session={data} />}
        </main>
      </div>
    </>
  );
}

function Place({ session }: { readonly session: BookingSessionReply }) {
  const { t } = useTranslation('book');
  const [, , first = '', second = ''] = usePath().split('/');
  const id = /^\d{1,15}$/.test(first) ? Number(first) : undefined;
  const title =
    first === ''
      ? t('title.pick')
      : first === 'mine'
        ? t('title.mine')
        : first === 'checkout'
          ? t('title.checkout')
          : t('title.done');
  useEffect(() => {
    document.title = `${title} · ${session.site.name}`;
  }, [title, session.site.name]);
  if (first === 'mine') return <OwnPage session={session} />;
  if (first === 'checkout') return <CheckoutPage session={session} id={second} />;
  return id === undefined ? <PickPage session={session} /> : <ReservationPage key={id} session={session} id={id} />;
}
