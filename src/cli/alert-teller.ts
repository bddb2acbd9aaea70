/**
 * Alerts of bookings to Slack, PagerDuty or any address: one job per channel, so that a channel that is down holds up
 * no other and gets the alert once when it is back.
 *
 * Whoever keeps an incident open for us must hear the end last. So the job of the beginning looks first, and leaves an
 * alert that is over to the job of the end; and it looks again after it has told, and tells the end itself when the
 * alert ended at that very moment.
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
      const isBeginning = alert.closedAtMs === null;
      const ended = async (): Promise<Alert | undefined> => {
        const now = await reservations().read.alert(alert.id);
        return now?.closedAtMs === null ? undefined : now;
      };
      if (isBeginning && (await ended())) return { kind: 'done' };
      await channel.send(alertNotice(alert));
      const end = isBeginning ? await ended() : undefined;
      if (end) await channel.send(alertNotice(end));
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
