import { useTranslation } from 'react-i18next';

/** What is left, for ears: only at 5 minutes, 2 minutes and 30 seconds. */
export function useSpokenCountdown(leftMs: number): string {
  const { t } = useTranslation('book');
  if (leftMs <= 0 || leftMs > 300_000) return '';
  if (leftMs > 120_000) return t('hold.leftSaid', { text: t('hold.minutes', { count: 5 }) });
  if (leftMs > 30_000) return t('hold.leftSaid', { text: t('hold.minutes', { count: 2 }) });
  return t('hold.leftSaid', { text: t('hold.seconds', { count: 30 }) });
}
