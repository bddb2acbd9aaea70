import { useTranslation } from 'react-i18next';
import type { BookingSessionReply } from '../../../src/server/index.ts';
import { OwnList } from './own-list.tsx';

export function OwnPage({ session }: { readonly session: BookingSessionReply }) {
  const { t } = useTranslation('book');
  return (
    <section className="panel top-gap">
      <h1>{t('mine')}</h1>
      <OwnList session={session} />
    </section>
  );
}
