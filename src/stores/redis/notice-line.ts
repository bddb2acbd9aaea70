/**
 * The store's one connection for notices, opened by the first subscription. When it breaks, notices may have been
 * missed, whatever the client library repairs by itself: all its subscriptions say so, and the next one starts anew.
 */
import { LeaseError } from '../../core/errors.ts';
import type { Subscription } from '../../core/ports.ts';
import type { CommandWatch } from './command-watch.ts';
import { failedCommand } from './redis-errors.ts';
import type { RedisPort, Subscriber } from './redis-port.ts';

export interface NoticeLine {
  subscribe(channel: string, onMessage: (message: string) => void): Promise<Subscription>;
  close(): void;
}

interface Channel {
  readonly hearers: Set<(message: string) => void>;
  readonly ready: Promise<unknown>;
}

interface Connection {
  readonly subscriber: Subscriber;
  readonly channels: Map<string, Channel>;
  /** Rejects when the connection is over. */
  readonly over: Promise<never>;
  isLive(): boolean;
  end(): void;
}

export function noticeLine(port: RedisPort, ownConnection: boolean, watch: CommandWatch): NoticeLine {
  let current: Connection | undefined;

  const open = (): Connection => {
    let live = true;
    let sayOver = (_: LeaseError): void => {};
    const over = new Promise<never>((_, reject) => {
      sayOver = reject;
    });
    // Only those who are subscribing at that moment listen.
    over.catch(() => {});
    const end = (): void => {
      if (!live) return;
      live = false;
      if (current === connection) current = undefined;
      sayOver(
        new LeaseError('The connection for notices is over; subscribe anew.', {
          code: 'store-unavailable',
          retryable: true,
        }),
      );
      connection.subscriber.end();
    };
    const connection: Connection = {
      subscriber: port.openSubscriber(ownConnection, end),
      channels: new Map(),
      over,
      isLive: () => live,
      end,
    };
    return connection;
  };

  const enter = ({ subscriber, channels, over }: Connection, name: string): Channel => {
    const known = channels.get(name);
    if (known) return known;
    const hearers: Channel['hearers'] = new Set();
    const hear = (message: string): void => {
      for (const hearer of hearers) hearer(message);
    };
    const ready = watch.wait(Promise.race([subscriber.subscribe(name, hear), over]), () => undefined, failedCommand);
    const channel = { hearers, ready };
    channels.set(name, channel);
    return channel;
  };

  return {
    async subscribe(name, onMessage) {
      current ??= open();
      const connection = current;
      const channel = enter(connection, name);
      channel.hearers.add(onMessage);
      try {
        await channel.ready;
      } catch (error) {
        // A connection that cannot subscribe is of no use to anybody.
        connection.end();
        throw error;
      }
      let subscribed = true;
      return {
        isLive: () => subscribed && connection.isLive(),
        async close() {
          if (!subscribed) return;
          subscribed = false;
          channel.hearers.delete(onMessage);
          if (channel.hearers.size > 0 || !connection.isLive()) return;
          connection.channels.delete(name);
          // Nobody depends on it: what still comes finds no hearer.
          connection.subscriber.unsubscribe(name).catch(() => {});
        },
      };
    },
    close: () => current?.end(),
  };
}
