import { BackupError } from '../backup/backup-error.ts';
import { LeaseError } from '../core/errors.ts';
import { createRedact, secretsOf } from '../server/create-redact.ts';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';

/** One sentence on standard error, without secrets; the stack, and the stacks below it, only with --verbose. */
export function reportError(error: unknown, { env, say: tell, messages }: CliContext, argv: readonly string[]): void {
  const redact = createRedact(secretsOf(env));
  const say = (line: string): void => tell(redact(line));
  const expected = error instanceof CliError || error instanceof LeaseError || error instanceof BackupError;
  const message = error instanceof Error ? error.message : String(error);
  say(`kannuki: ${message.split('\n')[0]}`);
  if (isVerbose(argv)) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) say(cause.stack ?? cause.message);
  } else if (!expected) say(messages.verboseHint);
}

/** What follows `--` belongs to the command of `exec`. */
function isVerbose(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--verbose');
}
