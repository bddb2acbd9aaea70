import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callApi } from '../api/call-api.ts';

/** Whether the server and its database answer, and how quickly. */
export function StatusBar() {
  const { t } = useTranslation();
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
  return (
    <footer className="status">
      <span>
        <span className="dot" data-state={error ? 'critical' : 'ok'} />{' '}
        {error || ms === undefined ? t('status.unreachable') : t('status.reachable', { ms })}
      </span>
      <span className="push">{t('status.zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}</span>
    </footer>
  );
}
