/**
 * An alert in words, in the shape that the channels of `kannuki/telemetry/server` take: Slack, PagerDuty, any address.
 * The id is the alert's own, so that a repeat is shown once.
 */
import type { Locale } from '../app-error.ts';
import type { Alert } from '../check-alerts.ts';
import { alertWords } from './alert-words.ts';

export interface AlertNotice {
  readonly id: string;
  readonly severity: 'critical' | 'warning';
  readonly state: 'open' | 'closed';
  readonly title: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
}

export function alertNotice(alert: Alert, locale: Locale = 'en'): AlertNotice {
  const { id, rule, subject, level, details, closedAtMs } = alert;
  const shown = Object.entries(details).filter(([, value]) => value !== null && value !== undefined);
  const fields = Object.fromEntries(shown.map(([name, value]) => [name, asText(value)]));
  const words = alertWords[rule]?.[locale]({ subject, detail: (name) => fields[name] ?? '' });
  return {
    id: `kannuki-reservations-alert-${id}`,
    severity: level,
    state: closedAtMs === null ? 'open' : 'closed',
    // A rule without words is still an alert.
    title: words?.title ?? `${rule}: ${subject}`,
    text: words?.text ?? '',
    fields: { rule, subject, ...fields },
  };
}

function asText(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 500);
}
