import { Navigate, Outlet } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiProblem } from '../api/api-problem.ts';
import { useFailedCount } from '../api/use-failed-count.ts';
import { useOpenAlerts } from '../api/use-open-alerts.ts';
import { useSession } from '../api/use-session.ts';
import { shownState, useWorkers } from '../api/use-workers.ts';
import { changeTheme } from '../parts/change-theme.ts';
import { ProblemNote } from '../parts/problem-note.tsx';
import { CommandPalette } from './command-palette.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { LiveContext } from './live-context.ts';
import { SideBar, TabBar } from './navigation.tsx';
import { StatusBar } from './status-bar.tsx';
import { Toasts } from './toasts.tsx';
import { TopBar } from './top-bar.tsx';
import { useKeys } from './use-keys.ts';
import { useLive } from './use-live.ts';

export function Shell() {
  const session = useSession();
  if (session.error instanceof ApiProblem && session.error.status === 401) return <Navigate to="/sign-in" />;
  // Nothing is asked before it is known who asks: a stranger goes to the door without a line of refusals.
  if (!session.data && !session.error) return null;
  return <Frame />;
}

function Frame() {
  const { t } = useTranslation();
  const session = useSession();
  const live = useLive();
  const [opened, setOpened] = useState<'palette' | 'keys'>();
  const close = useCallback(() => setOpened(undefined), []);
  const onPalette = useCallback(() => setOpened('palette'), []);
  const onHelp = useCallback(() => setOpened('keys'), []);
  useKeys({ onPalette, onPause: live.toggle, onHelp });
  return (
    <LiveContext value={live}>
      <Toasts>
        <a className="skip" href="#main">
          {t('app.skip')}
        </a>
        <div className="app">
          <Counted>{(counts) => <SideBar counts={counts} />}</Counted>
          <TopBar session={session.data} onFind={onPalette} />
          <main className="main" id="main" tabIndex={-1}>
            {session.error && !session.data ? (
              <ProblemNote error={session.error} onAgain={() => void session.refetch()} />
            ) : (
              <Outlet />
            )}
          </main>
          <StatusBar />
          <Counted>{(counts) => <TabBar counts={counts} />}</Counted>
        </div>
        <CommandPalette
          isOpen={opened === 'palette'}
          onClose={close}
          onPause={live.toggle}
          onTheme={changeTheme}
          onKeys={onHelp}
        />
        <KeysDialog isOpen={opened === 'keys'} onClose={close} />
      </Toasts>
    </LiveContext>
  );
}

type Counts = Readonly<Record<string, { readonly count: number; readonly state: string }>>;

/** What wants attention, beside the names of pages. */
function Counted({ children }: { readonly children: (counts: Counts) => React.ReactNode }) {
  const failed = useFailedCount();
  const { count: alerts, isCritical } = useOpenAlerts();
  const { data: workers = [], dataUpdatedAt } = useWorkers();
  const silent = workers.filter((worker) => shownState(worker, dataUpdatedAt) === 'SILENT').length;
  const counts = useMemo(
    (): Counts => ({
      ...(failed > 0 && { '/runs': { count: failed, state: 'failed' } }),
      ...(silent > 0 && { '/workers': { count: silent, state: 'warn' } }),
      ...(alerts > 0 && { '/races': { count: alerts, state: isCritical ? 'critical' : 'warn' } }),
    }),
    [failed, silent, alerts, isCritical],
  );
  return children(counts);
}
