/** Side bar, top bar, content, status bar; on a phone the bottom tab bar instead of the side. */
import { Navigate, Outlet } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiProblem } from '../api/api-problem.ts';
import { useSession } from '../api/use-session.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { LiveContext } from './live-context.ts';
import { SideBar, TabBar } from './navigation.tsx';
import { StatusBar } from './status-bar.tsx';
import { TopBar } from './top-bar.tsx';

export function Shell() {
  const { t } = useTranslation();
  const session = useSession();
  const [isLive, setLive] = useState(true);
  const toggle = useCallback(() => setLive((live) => !live), []);
  const live = useMemo(() => ({ isLive, toggle }), [isLive, toggle]);
  usePauseKey(toggle);

  if (session.error instanceof ApiProblem && session.error.status === 401) return <Navigate to="/sign-in" />;
  return (
    <LiveContext value={live}>
      <a className="skip" href="#main">
        {t('app.skip')}
      </a>
      <div className="app">
        <SideBar />
        <TopBar session={session.data} />
        <main className="main" id="main" tabIndex={-1}>
          {session.error && !session.data ? (
            <ProblemNote error={session.error} onAgain={() => void session.refetch()} />
          ) : (
            <Outlet />
          )}
        </main>
        <StatusBar />
        <TabBar />
      </div>
    </LiveContext>
  );
}

/** P pauses; single keys are off while somebody types. */
function usePauseKey(toggle: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLElement && event.target.closest('input, textarea, [role=dialog]');
      if (event.key === 'p' && !typing && !event.metaKey && !event.ctrlKey && !event.altKey) toggle();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [toggle]);
}
