import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { bookingPages } from './booking-pages.ts';

const pages = [
  { to: '/leases', icon: 'leases', word: 'nav.leases' },
  { to: '/rollout', icon: 'rollout', word: 'nav.rollout' },
] as const;

export function SideBar() {
  const { t } = useTranslation();
  return (
    <aside className="side">
      <Link className="brand" to="/">
        <Mark />
        Kannuki <small>閂</small>
      </Link>
      <nav className="nav" aria-label={t('app.pages')}>
        <div className="nav-h">{t('nav.locks')}</div>
        {pages.map(({ to, icon, word }) => (
          <Link key={to} to={to}>
            <Icon name={icon} />
            {t(word)}
          </Link>
        ))}
        <div className="nav-h">{t('nav.bookings')}</div>
        {bookingPages.map(({ to, icon, word }) => (
          <Link key={to} to={to}>
            <Icon name={icon} />
            {t(word)}
          </Link>
        ))}
      </nav>
    </aside>
  );
}

export function TabBar() {
  const { t } = useTranslation();
  return (
    <nav className="tabbar" aria-label={t('app.mainPages')}>
      {[...pages, ...bookingPages.slice(0, 3)].map(({ to, icon, word }) => (
        <Link key={to} to={to}>
          <Icon name={icon} />
          {t(word)}
        </Link>
      ))}
    </nav>
  );
}
