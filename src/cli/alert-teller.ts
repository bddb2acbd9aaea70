/**
 * Alerts of bookings to Slack, PagerDuty or any address: one job per channel, so that a channel that is down holds up
 * no other and gets the alert once when it is back.
 *
 * A channel that was down while an alert opened and closed may get the end before the beginning. The job of the beginning
 * therefore looks again after it has told, and tells the end itself when the alert is over by then: whoever keeps an
 * incident open for us always hears the end last.
 */
import type { EffectQueue } from '../core/effect-queue.ts';
import type { SqlDatabase } from '../core/ports.ts';
import { type Alert, type AlertPort, alertNotice, type Reservations } from '../systems/reservations/index.ts';
import type { Channel } from '../systems/telemetry/index.ts';

export interface AlertTellerOptions {
  readonly database: SqlDatabase;
  readonly reservations: () => Pick<Reservations, 'read'>;
}

export function alertTeller(
  effects: EffectQueue,
  channels: readonly Channel[],
  { database, reservations }: AlertTellerOptions,
): AlertPort {
  for (const channel of channels) {
    effects.handle(effectName(channel), async ({ payload }) => {
      const alert = payload as Alert;
      await channel.send(alertNotice(alert));
      if (alert.closedAtMs === null) {
        const now = await reservations().read.alert(alert.id);
        if (now && now.closedAtMs !== null) await channel.send(alertNotice(now));
      }
      return { kind: 'done' };
    });
  }
  return {
    async send(alert) {
      const state = alert.closedAtMs === null ? 'open' : 'closed';
      for (const channel of channels) {
        const key = `alert:${channel.name}:${state}:${alert.id}`;
        await effects.enqueue(database, effectName(channel), alert, { key });
      }
    },
  };
}

function effectName({ name }: Channel): string {
  return `reservations.tell.${name}`;
}
