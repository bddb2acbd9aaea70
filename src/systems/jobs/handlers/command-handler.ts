/**
 * A job that is a program. It gets the payload as JSON on its standard input and the run in its environment; what it
 * prints goes to the run's log. Exit code 0 is success; anything else fails the run with the last thing it said.
 */
import { platform } from '#platform';
import type { Clock } from '../../../core/ports.ts';
import { JobError } from '../job-error.ts';
import type { JobContext, JobHandler } from '../job-handler.ts';
import { findProgram } from './find-program.ts';
import { type GuardedProcess, type ProcessEnd, startGuardedProcess } from './guarded-process.ts';
import { createLineSplitter } from './line-splitter.ts';

export interface CommandHandlerOptions {
  /** The program and its arguments. No shell reads them. */
  readonly command: readonly string[];
  /** Folder it runs in. @default the worker's */
  readonly cwd?: string;
  /** Variables besides the run's own. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Names of the worker's own variables that it may see. @default PATH, HOME, LANG, LC_ALL, TZ, TMPDIR */
  readonly inheritEnv?: readonly string[];
  /** Between SIGTERM and SIGKILL, 0 to 600,000. @default 5_000 */
  readonly graceMs?: number;
  /** @default the real clock */
  readonly clock?: Clock;
}

export interface CommandResult {
  readonly exitCode: 0;
}

const inheritedByDefault = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];
/** After so many characters of output the program waits until they are stored. */
const unflushedCharsMax = 262_144;

export function commandHandler(options: CommandHandlerOptions): JobHandler {
  const { command, graceMs = 5_000, clock = platform.clock } = options;
  if (command.length === 0 || command.some((part) => typeof part !== 'string' || part.includes('\0')))
    throw new JobError('A command needs its program and arguments as a list of texts.', { code: 'invalid-argument' });
  if (!(graceMs >= 0 && graceMs <= 600_000))
    throw new JobError(`graceMs is ${graceMs}; it must be from 0 to 600000.`, { code: 'invalid-argument' });
  return async (context): Promise<CommandResult> => {
    const program = await programOf(options, context);
    if (context.signal.aborted) throw stopped(command, context);
    const child = await start(program, options, context, graceMs, clock);
    const stop = (): void => child.stop();
    context.signal.addEventListener('abort', stop);
    if (context.signal.aborted) stop();
    try {
      child.stdin.end(JSON.stringify(context.payload ?? null));
      const [end, said] = await Promise.all([child.ended, copyOutput(child, context)]);
      // Whoever sees the run ended finds its whole log.
      await context.flushLog();
      if (context.signal.aborted) throw stopped(command, context);
      return judge(command, end, said, context);
    } finally {
      context.signal.removeEventListener('abort', stop);
    }
  };
}

async function programOf({ command, cwd, env }: CommandHandlerOptions, { run }: JobContext): Promise<string> {
  const [name = ''] = command;
  const path = env?.PATH ?? process.env.PATH ?? '';
  const program = await findProgram(name, path, cwd ?? process.cwd());
  if (program !== undefined) return program;
  throw new JobError(
    `The command "${name}" was not found, or may not be executed; install it on this worker or write its full path.`,
    { code: 'command-not-found', job: run.job, runId: run.id, retryable: false },
  );
}

async function start(
  program: string,
  options: CommandHandlerOptions,
  { run, startToken }: JobContext,
  graceMs: number,
  clock: Clock,
): Promise<GuardedProcess> {
  const { command, cwd, inheritEnv = inheritedByDefault } = options;
  const inherited = inheritEnv.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = {
    ...Object.fromEntries(inherited),
    ...options.env,
    KANNUKI_JOB: run.job,
    KANNUKI_RUN_ID: String(run.id),
    KANNUKI_ATTEMPT: String(run.attempt),
    KANNUKI_TOKEN: String(startToken),
  };
  try {
    return await startGuardedProcess({ command: [program, ...command.slice(1)], cwd, env, graceMs, clock });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new JobError(`The command "${command[0]}" could not be started: ${code ?? message}.`, {
      code: 'command-failed',
      retryable: true,
      job: run.job,
      runId: run.id,
      cause,
    });
  }
}

/** Both streams at once, each in its own order; resolves to the last line of standard error, or else of output. */
async function copyOutput(child: GuardedProcess, context: JobContext): Promise<string> {
  let unflushed = 0;
  const copy = async (stream: GuardedProcess['stdout']): Promise<string> => {
    const splitter = createLineSplitter();
    let last = '';
    const tell = (lines: readonly string[]): void => {
      for (const line of lines) {
        context.log(line);
        unflushed += line.length;
        if (line.trim() !== '') last = line;
      }
    };
    // While this loop waits, nothing is read, and the program waits, too.
    for await (const chunk of stream) {
      tell(splitter.push(chunk as Uint8Array));
      if (unflushed < unflushedCharsMax) continue;
      unflushed = 0;
      await context.flushLog();
    }
    tell(splitter.end());
    return last;
  };
  const [output, errors] = await Promise.all([copy(child.stdout), copy(child.stderr)]);
  return errors === '' ? output : errors;
}

function judge(command: readonly string[], end: ProcessEnd, said: string, { run }: JobContext): CommandResult {
  if ('code' in end && end.code === 0) return { exitCode: 0 };
  const how = 'code' in end ? `ended with exit code ${end.code}` : `was ended by ${end.signal}`;
  const saying = said === '' ? 'It said nothing.' : `It said last: ${said.slice(0, 500)}`;
  throw new JobError(`The command "${command[0]}" ${how}. ${saying}`, {
    code: 'command-failed',
    retryable: true,
    job: run.job,
    runId: run.id,
  });
}

function stopped(command: readonly string[], { run, signal }: JobContext): JobError {
  return new JobError(`The command "${command[0]}" was stopped.`, {
    code: 'aborted',
    job: run.job,
    runId: run.id,
    cause: signal.reason,
  });
}
