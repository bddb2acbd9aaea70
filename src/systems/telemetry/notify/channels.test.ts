import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Channel, Notice } from './notice.ts';
import { pagerdutyChannel } from './pagerduty-channel.ts';
import { slackChannel } from './slack-channel.ts';
import { webhookChannel } from './webhook-channel.ts';

const notice: Notice = {
  id: 'rollout:autosave:3',
  severity: 'critical',
  state: 'open',
  title: 'read-only rate above 5 % <now>',
  text: 'It was rolled back & noted.',
  fields: { Phase: 'B-0 → A-2' },
};

describe('channels, as their receiver sees them', () => {
  let server: Server;
  let url: string;
  let received: unknown[];
  let answer: number | 'silence';

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      received.push(JSON.parse(body));
      if (answer !== 'silence') response.writeHead(answer).end('a body nobody reads');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  beforeEach(() => {
    received = [];
    answer = 200;
  });

  it('tells Slack with a header, the text and the fields, none of it as markup', async () => {
    await slackChannel({ webhookUrl: url }).send(notice);
    expect(received).toEqual([
      {
        text: ':rotating_light: read-only rate above 5 % &lt;now&gt;',
        blocks: [
          {
            type: 'section',
            text: {
              type: 'mrkdwn',
              text: ':rotating_light: *read-only rate above 5 % &lt;now&gt;*\nIt was rolled back &amp; noted.',
            },
          },
          { type: 'section', fields: [{ type: 'mrkdwn', text: '*Phase*\nB-0 → A-2' }] },
          { type: 'context', elements: [{ type: 'mrkdwn', text: 'rollout:autosave:3' }] },
        ],
      },
    ]);
  });

  it('triggers and resolves at PagerDuty by the id of the notice', async () => {
    const channel = pagerdutyChannel({ routingKey: 'key', url, source: 'here' });
    await channel.send(notice);
    await channel.send({ ...notice, state: 'closed' });
    expect(received).toEqual([
      {
        routing_key: 'key',
        event_action: 'trigger',
        dedup_key: notice.id,
        payload: {
          summary: notice.title,
          source: 'here',
          severity: 'critical',
          custom_details: { text: notice.text, Phase: 'B-0 → A-2' },
        },
      },
      { routing_key: 'key', event_action: 'resolve', dedup_key: notice.id },
    ]);
  });

  it('hands a webhook the notice as it is', async () => {
    await webhookChannel({ url }).send(notice);
    expect(received).toEqual([notice]);
  });

  it.each([
    [500, true],
    [429, true],
    [404, false],
  ])('fails on %i, retryable: %s, and never shows the address, which is a secret', async (status, retryable) => {
    answer = status;
    const error = await failureOf(slackChannel({ webhookUrl: url }));
    expect(error).toMatchObject({ name: 'TelemetryError', code: 'delivery-failed', retryable });
    expect(String(error)).not.toContain(url);
  });

  it('gives up on a receiver that does not answer', async () => {
    answer = 'silence';
    const error = await failureOf(webhookChannel({ url, timeoutMs: 50 }));
    expect(error).toMatchObject({ code: 'delivery-failed', retryable: true });
  });

  async function failureOf(channel: Channel): Promise<unknown> {
    return channel.send(notice).then(
      () => undefined,
      (error: unknown) => error,
    );
  }
});
