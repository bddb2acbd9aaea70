/**
 * Effects are what is done outside the database because of a change inside it. They are enqueued in the transaction
 * of the change, so that a crash loses none; each has a key of its cause, so that a repeat adds none. They run at
 * least once: a handler must tolerate to be called again.
 */
import type { SqlExecutor } from '../../core/ports.ts';

export interface EnqueueOptions {
  /** Names the cause. A key that was used before, whatever became of it, enqueues nothing. */
  readonly key: string;
  /** Not before this time, ms since 1970 by the database's clock. @default at once */
  readonly runAtMs?: number;
}

/** What a handler says when it returns: finished, or again after a while (which is no failure). */
export type EffectAnswer = { readonly kind: 'done' } | { readonly kind: 'again'; readonly afterMs: number };

export interface EffectRun<Payload = unknown> {
  readonly payload: Payload;
  readonly key: string;
  /** From 1; counts what failed, not what asked to be called again. */
  readonly attempt: number;
}

/** A throw is a failure: tried again with growing delays. */
export type EffectHandler = (run: EffectRun) => Promise<EffectAnswer>;

/** `kannuki/jobs` satisfies it; `effectTable` is the one that is built in. */
export interface EffectQueue {
  /** True: enqueued. False: the key was used before. */
  enqueue(tx: SqlExecutor, name: string, payload: unknown, options: EnqueueOptions): Promise<boolean>;
  /** Who does the work of a name. Called once per name, before anything runs. */
  handle(name: string, handler: EffectHandler): void;
}
