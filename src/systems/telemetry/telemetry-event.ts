/**
 * What a client may report. Every field is a number or one of a closed list, so that no document text, no lock
 * content and no secret can travel in an event even by mistake.
 */
import type { Phase } from '../../core/rollout/phase.ts';

export const eventNames = [
  'autosave.lock.acquired',
  'autosave.lock.attempt',
  'autosave.lock.error',
  'autosave.lock.readonly',
  'autosave.lock.renewed',
] as const;

export const strategies = ['web-lock', 'file-lock'] as const;

export const operations = ['acquire', 'renew', 'release'] as const;

/** Why a tab became read-only. */
export const readonlyReasons = [
  'acquire-timeout',
  'fallback-conflict',
  'fallback-open-failed',
  'renew-failed',
  'lease-stale',
  'lease-expired',
  'release-failed',
  'stolen',
  'page-cached',
] as const;

export const errorCodes = [
  'web-lock-unsupported',
  'acquire-denied',
  'acquire-timeout',
  'web-lock-aborted',
  'fallback-conflict',
  'record-busy',
  'fallback-open-failed',
  'fallback-read-failed',
  'fallback-write-failed',
  'lease-mismatch',
  'lease-expired',
  'lease-stale',
  'renew-failed',
  'release-failed',
] as const;

export interface TelemetryEvent {
  readonly name: (typeof eventNames)[number];
  /** The client's wall clock. Only its distance to `sentAtMs` is used: a wrong clock does no harm. */
  readonly atMs: number;
  /** How many alike this one stands for. @default 1 */
  readonly count?: number;
  readonly strategy?: (typeof strategies)[number];
  readonly operation?: (typeof operations)[number];
  readonly reason?: (typeof readonlyReasons)[number];
  readonly code?: (typeof errorCodes)[number];
  /** Of `acquired`: from the first attempt to the grant. */
  readonly durationMs?: number;
}

export interface TelemetryBatch {
  /** Made by the client; the same batch sent twice counts once. */
  readonly id: string;
  /** One page load. */
  readonly session: string;
  /** The phase the client was in. */
  readonly phase: Phase;
  readonly sentAtMs: number;
  readonly events: readonly TelemetryEvent[];
}

export const telemetryLimits = {
  eventsPerBatch: 100,
  /** An event older than this when sent is dated this old. */
  maxAgeMs: 86_400_000,
  maxDurationMs: 3_600_000,
  maxCount: 1_000_000,
} as const;
