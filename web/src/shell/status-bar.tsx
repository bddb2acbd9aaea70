import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SandboxReply } from '../../../src/server/index.ts';
import { callApi } from '../api/call-api.ts';
import { useLeader } from '../api/use-leader.ts';
import { isLiveWorker, useWorkers } from '../api/use-workers.ts';
import { Epoch } from '../parts/epoch.tsx';
import { Icon } from '../parts/icon.tsx';

/** What goes nowhere here; nothing where everything is real. */
function SandboxNotice() {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['sandbox-parts'],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async () => (await callApi<SandboxReply>('GET', '/api/v1/sandbox')).parts,
  });
  const parts = (['payments', 'mail', 'render'] as const).filter((part) => data?.[part]);
  if (parts.length === 0) return <span className="push" />;
  return (
    <Link className="plain push" to="/checkout">
      {t('status.sandbox', { parts: parts.map((part) => t(`status.sandbox_${part}`)).join(', ') })}
    </Link>
  );
}

/** Who leads, who works, and whether the server and its database answer, and how quickly. */
export function StatusBar() {
  const { t } = useTranslation();
  const leader = useLeader();
  const workers = useWorkers();
  const { data: ms, error } = useQuery({
    queryKey: ['ready'],
    refetchInterval: 5_000,
    retry: false,
    queryFn: async () => {
      const sentAt = performance.now();
      await callApi('GET', '/readyz');
      return Math.round(performance.now() - sentAt);
    },
  });
  const known = workers.data?.filter(({ state }) => state !== 'STOPPED') ?? [];
  const live = known.filter((worker) => isLiveWorker(worker, workers.dataUpdatedAt)).length;
  return (
    <footer className="status">
      <Link className="lead" to="/workers">
        <Icon name="leases" small />
        {leader.data ? (
          <>
            <span>
              {t('foot.leader')} <b>{leader.data.name}</b>
            </span>
            <span>
              {t('foot.epoch')}{' '}
              <b>
                <Epoch value={leader.data.epoch} />
              </b>
            </span>
          </>
        ) : (
          <span>{t('foot.noLeader')}</span>
        )}
      </Link>
      <Link className="plain" to="/workers">
        <span className="dot" data-state={live > 0 && live === known.length ? 'ok' : 'warn'} />
        {t('foot.workers', { live, all: known.length })}
      </Link>
      <span>
        <span className="dot" data-state={error ? 'critical' : 'ok'} />{' '}
        {error || ms === undefined ? t('status.unreachable') : t('status.reachable', { ms })}
      </span>
      <SandboxNotice />
      <span>{t('status.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}</span>
      <span>v{import.meta.env.VITE_VERSION}</span>
    </footer>
  );
}
