/**
 * Lends connections of a pool. The driver's pool costs about 20 µs per loan (timers, events, a tick), a tenth of a
 * whole statement, so a connection that comes back while nobody waits is kept at hand for the next loan. What lies
 * unused for a while goes back to the pool, which closes it in its own time.
 *
 * A pool of the application's own is not held back from it: there every loan goes through the pool.
 */
import type pg from 'pg';
import type { Clock } from '../../core/ports.ts';
import { cutClient } from './end-client.ts';

export interface ConnectionLender {
  /** Calls back with a connection, at once if one is at hand. */
  borrow(done: (error: Error | undefined, client: pg.PoolClient | undefined) => void): void;
  /** `broken`: close it instead of lending it again. */
  giveBack(client: pg.PoolClient, broken: boolean): void;
  /** Gives back what is at hand; from now on nothing is kept. */
  close(): void;
  /** Drops every connection that is still open, also those on loan. */
  cut(): void;
}

const keptMs = 10_000;

export function lendConnections(pool: pg.Pool, clock: Pick<Clock, 'after'>, keep: boolean): ConnectionLender {
  const atHand: pg.PoolClient[] = [];
  const known = new Set<pg.PoolClient>();
  const dead = new WeakSet<pg.PoolClient>();
  let keeping = keep;
  let cancelReturn: (() => void) | undefined;

  /** The driver emits 'error' on a lent connection besides failing its statement; unheard, it would end the process. */
  const guard = (client: pg.PoolClient): void => {
    if (known.has(client)) return;
    known.add(client);
    const bury = (): void => {
      dead.add(client);
      const i = atHand.indexOf(client);
      if (i >= 0) {
        atHand.splice(i, 1);
        client.release(true);
      }
    };
    client.on('error', bury);
    client.on('end', () => {
      known.delete(client);
      bury();
    });
  };

  const returnAll = (): void => {
    cancelReturn = undefined;
    for (const client of atHand.splice(0)) client.release(dead.has(client));
  };

  return {
    borrow(done) {
      const client = atHand.pop();
      if (client) return done(undefined, client);
      pool.connect((error, fresh) => {
        if (fresh) guard(fresh);
        done(error, fresh);
      });
    },
    giveBack(client, broken) {
      if (broken || dead.has(client) || !keeping || pool.waitingCount > 0)
        return client.release(broken || dead.has(client));
      atHand.push(client);
      if (!cancelReturn) {
        const timer = clock.after(keptMs, returnAll, { background: true });
        cancelReturn = () => timer.cancel();
      }
    },
    close() {
      keeping = false;
      cancelReturn?.();
      returnAll();
    },
    cut() {
      for (const client of known) cutClient(client);
    },
  };
}
