/**
 * One connection of its own beside the pool: LISTEN needs a session that stays, and renewals that share it never
 * wait behind other work for a free connection. Opened when first needed. When it breaks, its subscriptions are no
 * longer live and the next `listen` opens a new one; until then renewals go to the pool.
 */

import type pg from 'pg';
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { SqlExecutor, Subscription } from '../../core/ports.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { breaksConnection } from './driver-errors.ts';
import { cutClient, endClient } from './end-client.ts';
import type { SendOptions } from './send-statement.ts';
import { type SerialExecutor, serialExecutor } from './serial-executor.ts';

export interface ControlConnection {
  /** The open connection, if there is one. */
  executor(): SqlExecutor | undefined;
  listen(channel: string, onNotify: (payload: string) => void): Promise<Subscription>;
  close(): Promise<void>;
}

interface Line {
  readonly client: pg.Client;
  readonly executor: SerialExecutor;
  readonly hearers: Map<string, Set<(payload: string) => void>>;
  broken: boolean;
}

export function controlConnection(
  createClient: () => pg.Client,
  options: SendOptions,
  explain: (error: unknown, sent: boolean) => unknown,
): ControlConnection {
  let opening: Promise<Line> | undefined;
  let open: Line | undefined;
  let closed = false;

  const fail = (line: Line): void => {
    line.broken = true;
    if (open === line) {
      open = undefined;
      opening = undefined;
    }
  };

  const openLine = async (): Promise<Line> => {
    const client = createClient();
    const executor = serialExecutor(client, options, (error) => explain(error, true));
    const line: Line = { client, executor, hearers: new Map(), broken: false };
    // An error event without a listener would end the process; what it means is told by isLive and by the queries.
    client.on('error', () => fail(line));
    client.on('end', () => fail(line));
    client.on('notification', ({ channel, payload = '' }) => {
      for (const hear of line.hearers.get(channel) ?? []) hear(payload);
    });
    try {
      await client.connect();
    } catch (error) {
      opening = undefined;
      await endClient(client, platform.clock);
      throw explain(error, false);
    }
    if (closed || line.broken) {
      opening = undefined;
      await endClient(client, platform.clock);
      throw new LeaseError('The connection for notices was closed while it was being opened.', {
        code: closed ? 'closed' : 'store-unavailable',
        retryable: !closed,
      });
    }
    open = line;
    return line;
  };

  /** A connection whose statement timed out or broke is dropped, or the next one would wait behind it. */
  const queryOn = (line: Line): SqlExecutor => ({
    query: (statement) =>
      line.executor.query<never>(statement).catch((error: unknown) => {
        if (breaksConnection(error)) {
          fail(line);
          cutClient(line.client);
        }
        throw error;
      }),
  });

  return {
    executor: () => open && queryOn(open),
    async listen(channel, onNotify) {
      if (closed) throw new LeaseError('This database was closed.', { code: 'closed' });
      opening ??= openLine();
      const line = await opening;
      const hearers = line.hearers.get(channel) ?? new Set();
      // A function of its own, so that one callback may listen twice.
      const hear = (payload: string): void => onNotify(payload);
      line.hearers.set(channel, hearers.add(hear));
      const forget = (): boolean => {
        hearers.delete(hear);
        return hearers.size === 0 && line.hearers.delete(channel);
      };
      try {
        await queryOn(line).query({ text: `listen ${quoteName(channel)}` });
      } catch (error) {
        forget();
        throw error;
      }
      let live = true;
      return {
        isLive: () => live && !line.broken,
        async close() {
          if (!live) return;
          live = false;
          // Unheard notices cost nothing, so a failure here is of no consequence.
          if (forget() && !line.broken)
            await queryOn(line)
              .query({ text: `unlisten ${quoteName(channel)}` })
              .catch(() => undefined);
        },
      };
    },
    async close() {
      closed = true;
      const line = open ?? (await opening?.catch(() => undefined));
      if (!line) return;
      fail(line);
      await endClient(line.client, platform.clock);
    },
  };
}
