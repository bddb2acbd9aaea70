/** Where logs go when they are old: a folder, a bucket. Keys are `/`-separated names; writing one again replaces it. */
export interface LogArchive {
  /** What a `log_ref` of this archive begins with; the key follows. */
  readonly refPrefix: string;
  /** Resolves when it is stored for good. Nobody sees half of it. */
  write(key: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** From this byte on. Throws `JobError` with code `log-missing` when there is no such file. */
  read(key: string, fromByte: number): AsyncIterable<Uint8Array>;
  /** Removing what is not there is no failure. */
  remove(key: string): Promise<void>;
}
