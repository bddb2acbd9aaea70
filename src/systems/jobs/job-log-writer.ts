/** Where the worker sends what handlers log. Made by `logs/`; lines of one run keep their order. */
export interface JobLogWriter {
  /** Takes it and returns; writing is batched. `attempt` tells runs that were reassigned apart. Never throws. */
  append(runId: number, attempt: number, text: string): void;
  /** Resolves when everything appended so far is stored, or given up. Never throws. */
  flush(): Promise<void>;
  /** Flushes and stops its timers. */
  close(): Promise<void>;
}
