#!/usr/bin/env node
import { platform } from '#platform';
import { createProgress } from './create-progress.ts';
import { exitCodeOf } from './exit-codes.ts';
import { messagesFor } from './messages.ts';
import { packageVersion } from './package-version.ts';
import { runProgram } from './program.ts';
import { reportError } from './report-error.ts';

/** What still hangs in a socket or timer after a command is done does not keep its user waiting for longer. */
const lingerMs = 500;

const argv = process.argv.slice(2);
const context = {
  env: process.env,
  messages: messagesFor(process.env),
  platform,
  colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
  print: (line: string) => void process.stdout.write(`${line}\n`),
  say: (line: string) => void process.stderr.write(`${line}\n`),
  // A file or pipe gets the result only.
  ...(process.stderr.isTTY === true && {
    progress: createProgress({
      clock: platform.clock,
      columns: process.stderr.columns ?? 80,
      write: (text) => void process.stderr.write(text),
    }),
  }),
};
// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

try {
  process.exitCode = await runProgram(argv, packageVersion, context);
} catch (error) {
  reportError(error, context, argv);
  process.exitCode = exitCodeOf(error);
}
platform.clock.after(lingerMs, () => process.exit(), { background: true });
