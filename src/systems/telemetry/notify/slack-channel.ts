/** Slack, by an incoming webhook. */
import type { Channel, Notice } from './notice.ts';
import { type PostOptions, postJson } from './post-json.ts';

export interface SlackOptions extends Pick<PostOptions, 'fetch' | 'timeoutMs'> {
  /** The webhook's address; it is a secret. */
  readonly webhookUrl: string;
}

export function slackChannel({ webhookUrl, ...rest }: SlackOptions): Channel {
  return {
    name: 'slack',
    send: (notice) => postJson({ url: webhookUrl, body: slackMessage(notice), receiver: 'Slack', ...rest }),
  };
}

const marks = { critical: ':rotating_light:', warning: ':warning:', info: ':information_source:' } as const;

/** Header, text and a table of fields. `text` is what a notification on a phone shows. */
export function slackMessage({ id, severity, state, title, text, fields }: Notice): object {
  const mark = state === 'closed' ? ':white_check_mark:' : marks[severity];
  return {
    text: `${mark} ${escapeSlack(title)}`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `${mark} *${escapeSlack(title)}*\n${escapeSlack(text)}` } },
      // Slack takes at most ten fields in a section.
      ...(Object.keys(fields).length === 0
        ? []
        : [
            {
              type: 'section',
              fields: Object.entries(fields)
                .slice(0, 10)
                .map(([name, value]) => ({ type: 'mrkdwn', text: `*${escapeSlack(name)}*\n${escapeSlack(value)}` })),
            },
          ]),
      { type: 'context', elements: [{ type: 'mrkdwn', text: escapeSlack(id) }] },
    ],
  };
}

/** Slack reads these three as markup. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
