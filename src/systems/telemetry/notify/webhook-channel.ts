/** Any receiver that takes a notice as JSON. */
import type { Channel } from './notice.ts';
import { type PostOptions, postJson } from './post-json.ts';

export interface WebhookOptions extends Pick<PostOptions, 'fetch' | 'timeoutMs'> {
  readonly url: string;
}

export function webhookChannel({ url, ...rest }: WebhookOptions): Channel {
  return { name: 'webhook', send: (notice) => postJson({ url, body: notice, receiver: 'The webhook', ...rest }) };
}
