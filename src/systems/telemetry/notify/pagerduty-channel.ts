/** PagerDuty, by its Events API v2. The notice's id is the key by which it shows a repeat once and closes it. */
import type { Channel, Notice } from './notice.ts';
import { type PostOptions, postJson } from './post-json.ts';

export interface PagerdutyOptions extends Pick<PostOptions, 'fetch' | 'timeoutMs'> {
  /** The integration's routing key; it is a secret. */
  readonly routingKey: string;
  /** @default the public address of the Events API v2 */
  readonly url?: string;
  /** Which installation speaks. @default 'kannuki' */
  readonly source?: string;
}

export function pagerdutyChannel(options: PagerdutyOptions): Channel {
  const { routingKey, url = 'https://events.pagerduty.com/v2/enqueue', source = 'kannuki', ...rest } = options;
  return {
    name: 'pagerduty',
    send: (notice) =>
      postJson({ url, body: pagerdutyEvent(notice, routingKey, source), receiver: 'PagerDuty', ...rest }),
  };
}

export function pagerdutyEvent(notice: Notice, routingKey: string, source: string): object {
  const { id, severity, state, title, text, fields } = notice;
  if (state === 'closed') return { routing_key: routingKey, event_action: 'resolve', dedup_key: id };
  return {
    routing_key: routingKey,
    event_action: 'trigger',
    dedup_key: id,
    payload: { summary: title.slice(0, 1024), source, severity, custom_details: { text, ...fields } },
  };
}
