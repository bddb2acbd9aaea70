import { useTranslation } from 'react-i18next';
import { formatAgo, formatMoment } from './format-time.ts';

export interface WhenProps {
  readonly ms: number;
  readonly nowMs: number;
  /** The clock only. @default false */
  readonly short?: boolean;
}

/** “14:31 1 min ago”, with the full time behind it. */
export function When({ ms, nowMs, short = false }: WhenProps) {
  const { i18n } = useTranslation();
  const at = new Date(ms);
  return (
    <time dateTime={at.toISOString()} title={at.toLocaleString(i18n.language, { timeZoneName: 'short' })}>
      {formatMoment(ms, i18n.language)}
      {!short && <span className="mute"> {formatAgo(ms, nowMs, i18n.language)}</span>}
    </time>
  );
}
