import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import type { RunReply } from '../../../src/server/index.ts';
import { callApi } from '../api/call-api.ts';
import type { SessionReply } from '../api/use-session.ts';
import { changeTheme } from '../parts/change-theme.ts';
import { formatMoment } from '../parts/format-time.ts';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { changeLanguage } from '../words/change-language.ts';
import { LiveContext } from './live-context.ts';
import { allPages } from './pages.ts';

export interface TopBarProps {
  readonly session: SessionReply | undefined;
  readonly onFind: () => void;
}

export function TopBar({ session, onFind }: TopBarProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const signOut = async (): Promise<void> => {
    await callApi('POST', '/api/v1/session/end', {}).catch(() => undefined);
    await navigate({ to: '/sign-in' });
  };
  return (
    <header className="top">
      <Link className="brand only-s" to="/" aria-label="Kannuki">
        <Mark />
      </Link>
      <Crumbs />
      <button type="button" className="find" onClick={onFind}>
        <Icon name="search" />
        <span>{t('find.open')}</span>
        <kbd>⌘K</kbd>
      </button>
      <LiveButton />
      <button type="button" className="btn icon ghost no-s" aria-label={t('top.theme')} onClick={changeTheme}>
        <Icon name="sun" />
      </button>
      <button
        type="button"
        className="btn ghost"
        lang={t('top.otherLanguageCode')}
        onClick={() => void changeLanguage(t('top.otherLanguageCode'))}
      >
        {t('top.otherLanguage')}
      </button>
      {session && (
        <button type="button" className="btn ghost no-s" title={t('top.signOut')} onClick={() => void signOut()}>
          <span className="sr">{t('top.account', { name: session.name })}</span>
          <span className="chip">
            <Icon name="user" small />
            {session.role}
          </span>
        </button>
      )}
    </header>
  );
}

/** Where this is: the server on wide pages, the page on small ones, and the list above a single thing on both. */
function Crumbs() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [, first = '', id] = pathname.split('/');
  const page = allPages.find(({ to }) => to === `/${first}`);
  const title = page ? t(page.word as 'nav.runs') : '';
  return (
    <div className="crumbs">
      {id !== undefined && page ? (
        <>
          <Link to={page.to}>{title}</Link>
          <Icon name="right" small />
          <b>{first === 'runs' ? <JobOf run={id} /> : decodeURIComponent(id)}</b>
        </>
      ) : (
        <>
          <b className="no-s">{location.host}</b>
          <b className="only-s">{title}</b>
        </>
      )}
    </div>
  );
}

/** The job of a run once its page knows it, as the way to all runs of that job; its number until then. */
function JobOf({ run }: { readonly run: string }) {
  const { data } = useQuery<RunReply>({ queryKey: ['run', run], enabled: false });
  if (!data) return decodeURIComponent(run);
  return (
    <Link to="/runs" search={{ job: data.run.job }}>
      {data.run.job}
    </Link>
  );
}

function LiveButton() {
  const { t, i18n } = useTranslation();
  const { isLive, news, lostAtMs, toggle } = useContext(LiveContext);
  const words = !isLive
    ? news > 0
      ? t('live.news', { count: news })
      : t('top.paused')
    : lostAtMs !== undefined
      ? t('live.reconnecting', { time: formatMoment(lostAtMs, i18n.language) })
      : t('top.live');
  return (
    <button
      type="button"
      className={isLive && lostAtMs === undefined ? 'live' : 'live paused'}
      aria-pressed={!isLive}
      title={t('top.pauseTitle')}
      onClick={toggle}
    >
      {words}
    </button>
  );
}
