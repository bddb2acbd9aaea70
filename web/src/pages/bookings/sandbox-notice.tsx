import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SandboxReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';

const parts = ['payments', 'mail', 'render'] as const;

/** Which providers are only played. It is decided at the start of the server, so it is asked for once. */
export function SandboxNotice() {
  const { t } = useTranslation('bookings');
  const { data } = useQuery({
    queryKey: ['sandbox', 'parts'],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async () => (await callApi<SandboxReply>('GET', '/api/v1/sandbox')).parts,
  });
  const played = parts.filter((part) => data?.[part]);
  if (played.length === 0) return null;
  return (
    <Link className="plain push" to="/checkout">
      {t('sandbox.notice', { parts: played.map((part) => t(`sandbox.${part}`)).join(t('sandbox.comma')) })}
    </Link>
  );
}
