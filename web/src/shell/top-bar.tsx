import { Link, useNavigate } from '@tanstack/react-router';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { callApi } from '../api/call-api.ts';
import type { SessionReply } from '../api/use-session.ts';
import { changeTheme } from '../parts/change-theme.ts';
import { Icon } from '../parts/icon.tsx';
import { Mark } from '../parts/mark.tsx';
import { changeLanguage } from '../words/change-language.ts';
import { LiveContext } from './live-context.ts';

export function TopBar({ session }: { readonly session: SessionReply | undefined }) {
  const { t } = useTranslation();
  const { isLive, toggle } = useContext(LiveContext);
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
      <div className="crumbs">
        <b>{location.host}</b>
      </div>
      <button type="button" className="live push" aria-pressed={!isLive} title={t('top.pauseTitle')} onClick={toggle}>
        {isLive ? t('top.live') : t('top.paused')}
      </button>
      <button type="button" className="btn icon ghost" aria-label={t('top.theme')} onClick={changeTheme}>
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
        <button type="button" className="btn ghost" title={t('top.signOut')} onClick={() => void signOut()}>
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
