/**
 * Jobs as the queue of the other systems' effects. An effect is a run of the job of its name, with the effect's key as
 * idempotency key: enqueued in the transaction of its cause, once.
 *
 * A handler that asks to be called again ends its run well and brings a new one, whose key is the old one with a round
 * behind it: if the process dies in between, the repeated run brings the same key and so no second one.
 */
import { platform } from '#platform';
import type { EffectQueue } from '../../core/effect-queue.ts';
import type { Clock } from '../../core/ports.ts';
import type { Backoff } from '../../core/retry.ts';
import type { Jobs } from './create-jobs.ts';

export interface JobsEffectQueueOptions {
  /** Attempts after the first, before a person has to look. 0 to 1,000. @default 30 */
  readonly maxRetries?: number;
  /** @default 1 s, doubling, at most 1 h */
  readonly backoff?: Backoff;
  /** The queue that workers serve. @default 'kannuki' */
  readonly queue?: string;
  /** @default the platform's clock */
  readonly clock?: Clock;
}

interface Envelope {
  readonly key: string;
  /** How often it asked to be called again. */
  readonly round: number;
  readonly payload: unknown;
}

export function jobsEffectQueue(jobs: Jobs, options: JobsEffectQueueOptions = {}): EffectQueue {
  const { maxRetries = 30, backoff, queue = 'kannuki', clock = platform.clock } = options;
  return {
    async enqueue(tx, name, payload, { key, runAtMs }) {
      const envelope: Envelope = { key, round: 0, payload };
      const { created } = await jobs.enqueue(name, envelope, {
        tx,
        idempotencyKey: key,
        ...(runAtMs !== undefined && { scheduledFor: runAtMs }),
      });
      return created;
    },
    handle(name, handler) {
      jobs.define({
        name,
        queue,
        maxRetries,
        ...(backoff && { backoff }),
        async handler({ payload: given, run }) {
          const { key, round, payload } = given as Envelope;
          const answer = await handler({ payload, key, attempt: run.attempt });
          if (answer.kind === 'done') return;
          const envelope: Envelope = { key, round: round + 1, payload };
          await jobs.enqueue(name, envelope, {
            idempotencyKey: `${key}~${round + 1}`,
            scheduledFor: clock.wallMs() + answer.afterMs,
          });
        },
      });
    },
  };
}
