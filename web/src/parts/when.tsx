import { useTranslation } from 'react-i18next';
import { formatAgo, formatMoment, formatWhole } from './format-time.ts';

export interface WhenProps {
  readonly ms: number;
  readonly nowMs: number;
  /** The clock only. @default false */
  readonly short?: boolean;
}

/** “14:31 1 min ago”, with the full time behind it. */
export function When({ ms, nowMs, short = false }: WhenProps) {
  const { i18n } = useTranslation();
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatWhole(ms, i18n.language)}>
      {formatMoment(ms, i18n.language)}
      {!short && <span className="mute"> {formatAgo(ms, nowMs, i18n.language)}</span>}
    </time>
  );
}
