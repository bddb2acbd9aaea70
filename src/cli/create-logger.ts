/**
 * Logs as lines of JSON on standard error. What may carry a secret is blanked by its name, at any depth of two; each line
 * is then searched for what is secret by its value or form, wherever it came from.
 */
import { pino } from 'pino';
import type { Logger } from '../core/ports.ts';
import { createRedact, secretsOf } from '../server/create-redact.ts';
import type { LogLevel } from './log-level.ts';

const secretNames = ['authorization', 'connectionString', 'cookie', 'password', 'secret', 'token', 'url'];

export interface LoggerOptions {
  /** Whose secrets must not be shown. @default the environment of this process */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default standard error */
  readonly out?: { write(line: string): void };
}

export function createLogger(level: LogLevel, { env = process.env, out = process.stderr }: LoggerOptions = {}): Logger {
  const redact = createRedact(secretsOf(env));
  const log = pino(
    {
      level,
      base: { name: 'kannuki', pid: process.pid },
      redact: {
        paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      serializers: { cause: showCause },
    },
    { write: (line: string) => void out.write(redact(line)) },
  );
  return {
    debug: (message, fields) => log.debug(fields ?? {}, message),
    info: (message, fields) => log.info(fields ?? {}, message),
    warn: (message, fields) => log.warn(fields ?? {}, message),
    error: (message, fields) => log.error(fields ?? {}, message),
  };
}

/**
 * What an error says of itself, and nothing else that hangs on it: a database driver adds the row that failed, and rows
 * hold what people wrote.
 */
function showCause(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const { name, message, stack } = cause;
  const code = 'code' in cause ? cause.code : undefined;
  const table = 'table' in cause ? cause.table : undefined;
  return {
    type: name,
    message,
    stack,
    ...(code !== undefined && { code }),
    ...(table !== undefined && { table }),
    ...(cause.cause !== undefined && { cause: showCause(cause.cause) }),
  };
}
