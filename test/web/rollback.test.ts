/** The rollback exercise on the real server, with real tabs: breach, rollback, notices, collect again, incident. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { startServer, type TestServer } from './start-server.ts';

describe('the rollback exercise', () => {
  let receiver: Server;
  let server: TestServer;
  let browser: TestBrowser;
  let onNotice: () => void = () => {};
  let isDown = true;
  const received: { readonly path: string; readonly body: string }[] = [];

  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (isDown) {
        isDown = false;
        response.writeHead(503).end();
        return;
      }
      received.push({ path: request.url ?? '', body });
      response.writeHead(202).end();
      onNotice();
    });
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    const at = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    server = await startServer({
      SLACK_WEBHOOK_URL: `${at}/slack`,
      PAGERDUTY_KEY: 'key',
      PAGERDUTY_URL: `${at}/pager`,
    });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    receiver.closeAllConnections();
    await new Promise((closed) => receiver.close(closed));
  });

  let batches = 0;
  const report = async (phase: string, all: number, bad: number): Promise<void> => {
    for (let i = 0; i < all; i++) {
      const events: object[] = [{ name: 'autosave.lock.acquired', atMs: 0, strategy: 'web-lock', durationMs: 12 }];
      if (i < bad) events.push({ name: 'autosave.lock.readonly', atMs: 0, reason: 'renew-failed' });
      const response = await fetch(`${server.url}/api/v1/telemetry`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: server.url },
        body: JSON.stringify({
          id: `exercise-${++batches}`,
          session: `session-${batches}`,
          phase,
          sentAtMs: 0,
          events,
        }),
      });
      expect(response.status).toBe(200);
    }
  };

  /** Each load of the editor is a session; one that finds another tab writing is read-only. */
  const useEditor = async (all: number, bad: number): Promise<void> => {
    const writer = await browser.openTab('about:blank');
    for (let i = 0; i < all - bad; i++) {
      await writer.goto(`${server.url}/editor`);
      await writer.getByText('Writing here').waitFor();
    }
    for (let i = 0; i < bad; i++) {
      const late = await browser.openTab(`${server.url}/editor`);
      await late.getByText('Read-only: another tab').waitFor();
      await late.close();
    }
    await writer.close();
  };

  /** What pages send as they go arrives a little later. */
  const untilCollected = async (line: RegExp): Promise<void> => {
    let seen = '';
    for (let tries = 0; tries < 40 && !line.test(seen); tries++)
      seen = await server.run('collect-metrics', '--window=15m');
    expect(seen).toMatch(line);
  };

  it('goes back a phase by itself, tells each channel once, and counts the earlier phase only', async () => {
    await server.run('flags', 'set', '--phase', 'B-0');
    await useEditor(20, 2);
    await untilCollected(/^B-0 \* +20 +2 +10 %/m);
    const beforeMs = Date.now();

    const told = new Promise<void>((resolve) => {
      onNotice = () => {
        if (received.length === 2) resolve();
      };
    });
    // The clock would ask within a minute; a run by hand asks now.
    await server.run('jobs', 'enqueue', 'kannuki.judge-rollout');
    await told;
    expect(received.map(({ path }) => path).sort()).toEqual(['/pager', '/slack']);
    for (const { body } of received) expect(body).toContain('B-0 → A-2');

    await report('A-2', 25, 1);
    await report('B-0', 25, 25);
    const again = JSON.parse(await server.run('collect-metrics', '--window=15m', '--json'));
    expect(again.judgement).toMatchObject({ breach: false, why: 'within-threshold', rate: 0.04 });
    expect(again.phases.filter((phase: { current: boolean }) => phase.current)).toMatchObject([
      { phase: 'A-2', sessions: 25, readonlySessions: 1 },
    ]);

    const { changes } = JSON.parse(await server.run('flags', 'list', '--json'));
    expect(changes[0]).toMatchObject({ actor: 'reporter', action: 'rollback', after: { phase: 'A-2' } });
    expect(received).toHaveLength(2);

    // The incident, as a person finds it: what was done, what came of it, and when.
    const page = await browser.openTab(server.signInUrl);
    await page.waitForURL((url) => !url.pathname.includes('sign-in'));
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/api/v1/incidents')),
      page.goto(`${server.url}/rollout`),
    ]);
    const { incidents } = (await answer.json()) as { incidents: { atMs: number }[] };
    expect(incidents).toMatchObject([
      {
        phase: 'B-0',
        toPhase: 'A-2',
        outcome: 'rolled-back',
        sessions: 20,
        readonlySessions: 2,
        command: 'kannuki flags rollback --phase A-2',
        output: expect.stringContaining('back from B-0 to A-2'),
      },
    ]);
    expect(Math.abs((incidents[0]?.atMs ?? 0) - beforeMs)).toBeLessThan(60_000);
    await page.getByText('kannuki flags rollback --phase A-2').waitFor();
  }, 120_000);
});
