/** One sentence for the user and the exit code that goes with it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
