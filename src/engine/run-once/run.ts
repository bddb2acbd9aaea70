import type { SqlExecutor } from '../../core/ports.ts';

/** What a handler is given. */
export interface Run {
  readonly scope: string;
  readonly key: string;
  /** Number of this claim, above that of every earlier one: hand it to what you write to, as a fence. */
  readonly token: number;
  /** 1, or more after a take-over: then an earlier run may have had effects outside. */
  readonly attempt: number;
  /** Aborted when the claim is lost, or by the caller's signal. */
  readonly signal: AbortSignal;
  /**
   * Runs `work` in one transaction that also stores the answer: what `work` returns is the answer of the run, and
   * its writes are there if and only if the answer is. When the claim was taken over, everything is rolled back and
   * this throws `lost`. A `work` that throws is rolled back and may be tried again. At most one succeeds per run;
   * what the handler returns afterwards is not used.
   */
  transaction<R>(work: (tx: SqlExecutor) => Promise<R>): Promise<R>;
}

/** Does what must happen once. Its result, or what it throws, becomes the answer. */
export type RunHandler<T> = (run: Run) => Promise<T> | T;
