import type pg from 'pg';
import type { Clock } from '../../core/ports.ts';

/** Says goodbye to the server; one that does not answer (frozen, cut off) is left without its answer. */
export async function endClient(client: pg.Client, clock: Pick<Clock, 'after'>): Promise<void> {
  const timer = clock.after(goodbyeMs, () => cutClient(client));
  await client.end().catch(() => undefined);
  timer.cancel();
}

/** How long a goodbye, or a statement under way when a database is closed, may take. */
export const goodbyeMs = 2_000;

/** Drops the connection without a word. Its statements fail, and it no longer keeps the process alive. */
export function cutClient(client: pg.ClientBase): void {
  // The types of a pool's client hide what every client has.
  (client as pg.Client).connection.stream.destroy();
}
