import { describe, expect, it } from 'vitest';
import type { EffectHandler, EffectQueue } from '../core/effect-queue.ts';
import type { SqlDatabase } from '../core/ports.ts';
import type { Alert } from '../systems/reservations/index.ts';
import type { Notice } from '../systems/telemetry/index.ts';
import { alertTeller } from './alert-teller.ts';

const alert: Alert = {
  id: 7,
  rule: 'render-manual',
  subject: 'video:3',
  level: 'critical',
  details: {},
  openedAtMs: 1,
  closedAtMs: null,
};

/** A queue that keeps what it is given until somebody runs it. */
function heldQueue() {
  const handlers = new Map<string, EffectHandler>();
  const waiting = new Map<string, { readonly name: string; readonly payload: unknown }>();
  const queue: EffectQueue = {
    async enqueue(_tx, name, payload, { key }) {
      if (waiting.has(key)) return false;
      waiting.set(key, { name, payload });
      return true;
    },
    handle: (name, handler) => void handlers.set(name, handler),
  };
  const run = async (key: string): Promise<void> => {
    const effect = waiting.get(key);
    await handlers.get(effect?.name ?? '')?.({ payload: effect?.payload, key, attempt: 1 });
  };
  return { queue, run, waiting };
}

describe('alerts to channels', () => {
  it('are one job per channel and state, however often they are handed over', async () => {
    const { queue, waiting } = heldQueue();
    const channels = ['slack', 'pagerduty'].map((name) => ({ name, send: async () => {} }));
    const read = { alert: async () => alert } as never;
    const teller = alertTeller(queue, channels, { database: {} as SqlDatabase, reservations: () => ({ read }) });
    await teller.send(alert);
    await teller.send(alert);
    await teller.send({ ...alert, closedAtMs: 2 });
    expect([...waiting.keys()]).toEqual([
      'alert:slack:open:7',
      'alert:pagerduty:open:7',
      'alert:slack:closed:7',
      'alert:pagerduty:closed:7',
    ]);
  });

  it.each([
    ['was down until it had ended', [2, 2], ['closed']],
    ['was told while it ended', [null, 2], ['closed', 'open', 'closed']],
  ] as const)('end with the end for a channel that %s', async (_, closedAt, expected) => {
    const { queue, run } = heldQueue();
    const told: string[] = [];
    const channel = { name: 'pagerduty', send: async ({ state }: Notice) => void told.push(state) };
    const looks = [...closedAt];
    const read = { alert: async () => ({ ...alert, closedAtMs: looks.shift() }) } as never;
    const teller = alertTeller(queue, [channel], { database: {} as SqlDatabase, reservations: () => ({ read }) });
    await teller.send(alert);
    await teller.send({ ...alert, closedAtMs: 2 });
    await run('alert:pagerduty:closed:7');
    await run('alert:pagerduty:open:7');
    expect(told).toEqual(expected);
  });
});
