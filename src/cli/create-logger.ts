/**
 * Logs as lines of JSON on standard error. What may carry a secret is blanked by its name, at any depth of two; each line
 * is then searched for what is secret by its value or form, wherever it came from.
 */
import { pino, stdSerializers } from 'pino';
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
      serializers: { cause: (cause: unknown) => (cause instanceof Error ? stdSerializers.err(cause) : cause) },
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
