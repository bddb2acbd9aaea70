/** Logs as lines of JSON on standard error. What may carry a secret is blanked by its name. */
import { pino, stdSerializers } from 'pino';
import type { Logger } from '../core/ports.ts';
import type { LogLevel } from './log-level.ts';

const secretNames = ['authorization', 'connectionString', 'cookie', 'password', 'secret', 'token', 'url'];

export function createLogger(level: LogLevel): Logger {
  const log = pino(
    {
      level,
      base: { name: 'kannuki', pid: process.pid },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      serializers: { cause: (cause: unknown) => (cause instanceof Error ? stdSerializers.err(cause) : cause) },
    },
    process.stderr,
  );
  return {
    debug: (message, fields) => log.debug(fields ?? {}, message),
    info: (message, fields) => log.info(fields ?? {}, message),
    warn: (message, fields) => log.warn(fields ?? {}, message),
    error: (message, fields) => log.error(fields ?? {}, message),
  };
}
