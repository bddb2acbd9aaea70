/**
 * Notices go out as effects: enqueued in the transaction of what they tell, one per channel, so that a channel that
 * is down holds up no other and gets the notice once when it is back.
 */
import type { EffectQueue } from '../../../core/effect-queue.ts';
import type { SqlExecutor } from '../../../core/ports.ts';
import type { Channel, Notice } from './notice.ts';

export interface Notifier {
  /** Enqueues the notice for every channel; the same notice in the same state is enqueued once. */
  notify(tx: SqlExecutor, notice: Notice): Promise<void>;
}

export function createNotifier(effects: EffectQueue, channels: readonly Channel[]): Notifier {
  for (const channel of channels) {
    effects.handle(effectName(channel), async ({ payload }) => {
      await channel.send(payload as Notice);
      return { kind: 'done' };
    });
  }
  return {
    async notify(tx, notice) {
      for (const channel of channels) {
        const key = `notice:${channel.name}:${notice.state}:${notice.id}`;
        await effects.enqueue(tx, effectName(channel), notice, { key });
      }
    },
  };
}

function effectName({ name }: Channel): string {
  return `telemetry.notify.${name}`;
}
