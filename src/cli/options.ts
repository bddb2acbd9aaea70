/** Values of options, checked where they enter; one sentence when wrong. */
import { limits } from '../core/limits.ts';
import { CliError } from './cli-error.ts';
import { formatDuration, parseDuration } from './durations.ts';
import { exitCodes } from './exit-codes.ts';
import type { Messages } from './messages.ts';

export interface DurationBounds {
  readonly minMs: number;
  readonly maxMs: number;
}

export const ttlBounds: DurationBounds = { minMs: limits.ttlMsMin, maxMs: limits.ttlMsMax };
export const waitBounds: DurationBounds = { minMs: 0, maxMs: limits.waitMsMax };
/** A command that ignores SIGTERM for longer does not mean to end. */
export const graceBounds: DurationBounds = { minMs: 0, maxMs: 600_000 };

/** Balancers look every few seconds; who waits longer has another trouble. */
export const drainBounds: DurationBounds = { minMs: 0, maxMs: 600_000 };

export function readDuration(option: string, text: string, bounds: DurationBounds, messages: Messages): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new CliError(messages.badDuration(option, text), exitCodes.usage);
  if (ms < bounds.minMs || ms > bounds.maxMs) {
    const range = [formatDuration(bounds.minMs), formatDuration(bounds.maxMs)] as const;
    throw new CliError(messages.durationRange(option, text, ...range), exitCodes.usage);
  }
  return ms;
}

export function readCount(option: string, text: string, messages: Messages): number {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= limits.capacityMax) return count;
  throw new CliError(messages.badCount(option, text), exitCodes.usage);
}

export function readPort(text: string, messages: Messages): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  throw new CliError(messages.badPort(text), exitCodes.usage);
}
