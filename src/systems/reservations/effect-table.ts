/**
 * The built-in effect queue: a table beside the reservations.
 *
 *   enqueue   one insert in the caller's transaction; the unique key makes a repeat nothing
 *   claim     due rows, skipping those that others claim now; a claim ends by itself after `leaseMs`
 *   finish    names its claim: a worker that was taken over changes nothing
 *   fail      again after a growing delay; after `maxAttempts` the row is parked for a person
 *
 * An effect runs at least once. Two workers can be inside one handler after a pause longer than the lease: handlers
 * are guarded by the rows they change, not by this queue.
 */

import { platform } from '#platform';
import type { EffectAnswer, EffectHandler, EffectQueue } from '../../core/effect-queue.ts';
import type { Clock, Logger, Random, SqlDatabase } from '../../core/ports.ts';
import { nextDelayMs } from '../../core/retry.ts';
import { reservationStatements } from './reservation-statements.ts';

export interface EffectTableOptions {
  readonly database: SqlDatabase;
  /** A worker that says nothing for so long is taken over. From 1000. @default 120000 */
  readonly leaseMs?: number;
  /** Failures before an effect is parked. From 1. @default 25 */
  readonly maxAttempts?: number;
  /** Delay after the first failure; doubles up to `maxDelayMs`. @default 2000 */
  readonly baseDelayMs?: number;
  /** @default 3600000 */
  readonly maxDelayMs?: number;
  /** Effects worked on at once by one process. From 1. @default 4 */
  readonly concurrency?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
}

export interface EffectTable extends EffectQueue {
  /** Works on what is due now, once. How many handlers ran. */
  runDue(options?: { readonly limit?: number }): Promise<number>;
  /** Works on what becomes due until `close`. @param everyMs how often it looks */
  start(everyMs?: number): void;
  /** Ends the loop and waits for what is under way. */
  close(): Promise<void>;
}

interface ClaimedEffect {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly claim: number;
}

export function effectTable(options: EffectTableOptions): EffectTable {
  const { database, leaseMs = 120_000, maxAttempts = 25, baseDelayMs = 2_000, maxDelayMs = 3_600_000 } = options;
  const { concurrency = 4, clock = platform.clock, random = platform.random, logger } = options;
  const { enqueueEffect, claimEffects, finishEffect } = reservationStatements(database.schema);
  const handlers = new Map<string, EffectHandler>();
  let closed = false;
  let loop: Promise<void> | undefined;
  let wake: (() => void) | undefined;

  const finish = async (
    effect: ClaimedEffect,
    state: 'waiting' | 'done' | 'parked',
    delayMs: number,
    error?: unknown,
  ): Promise<void> => {
    const said = error === undefined ? null : String(error instanceof Error ? error.message : error).slice(0, 2_000);
    const values = [effect.id, effect.claim, state, delayMs, error !== undefined, said];
    await database.query({ ...finishEffect, values });
  };

  const work = async (effect: ClaimedEffect): Promise<void> => {
    const attempt = effect.attempts + 1;
    let answer: EffectAnswer;
    try {
      const handler = handlers.get(effect.name);
      if (!handler) throw new Error(`Nobody handles the effect "${effect.name}".`);
      answer = await handler({ payload: effect.payload, key: effect.key, attempt });
    } catch (error) {
      const parked = attempt >= maxAttempts;
      const fraction = random.fraction();
      const delayMs = nextDelayMs({ attempt, baseMs: baseDelayMs, maxMs: maxDelayMs, jitter: 'equal', fraction });
      logger?.warn('an effect failed', { effect: effect.key, attempt, parked, error: String(error) });
      return finish(effect, parked ? 'parked' : 'waiting', delayMs, error);
    }
    return answer.kind === 'done' ? finish(effect, 'done', 0) : finish(effect, 'waiting', answer.afterMs);
  };

  const runDue = async ({ limit = 100 }: { readonly limit?: number } = {}): Promise<number> => {
    let count = 0;
    while (count < limit) {
      const values = [Math.min(concurrency, limit - count), leaseMs];
      const { rows } = await database.query<ClaimedEffect>({ ...claimEffects, values });
      const results = await Promise.allSettled(rows.map(work));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      count += rows.length;
      if (rows.length < concurrency) return count;
    }
    return count;
  };

  return {
    async enqueue(tx, name, payload, { key, runAtMs }) {
      const values = [name, key, JSON.stringify(payload), runAtMs ?? null];
      return (await tx.query({ ...enqueueEffect, values })).rows.length > 0;
    },
    handle(name, handler) {
      if (handlers.has(name)) throw new Error(`The effect "${name}" has a handler already.`);
      handlers.set(name, handler);
    },
    runDue,
    start(everyMs = 500) {
      if (loop || closed) return;
      loop = (async () => {
        while (!closed) {
          await runDue().catch((error: unknown) => {
            logger?.error('effects cannot be worked on; trying again', { error: String(error) });
          });
          if (closed) return;
          await new Promise<void>((resolve) => {
            const timer = clock.after(everyMs, resolve, { background: true });
            wake = () => {
              timer.cancel();
              resolve();
            };
          });
        }
      })();
    },
    async close() {
      closed = true;
      wake?.();
      await loop;
    },
  };
}
