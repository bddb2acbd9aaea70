/** What goes over the wire about telemetry, flags and incidents. */
import { z } from 'zod';
import { phases } from '../core/rollout/phase.ts';
import type {
  Incident,
  Phase,
  RefusedEvent,
  Rollout,
  RolloutChange,
  WindowSummary,
} from '../systems/telemetry/index.ts';
import { idPageFields, type PagedReply } from './paging/page-query.ts';

export interface CollectReply {
  readonly accepted: number;
  readonly refused: readonly RefusedEvent[];
}

export interface FlagsReply extends PagedReply {
  readonly rollout: Rollout;
  /** Newest first. */
  readonly changes: readonly RolloutChange[];
}

export interface ClientFlagsReply {
  readonly phase: Phase;
  /** Whether this client has AutoSave. */
  readonly autosave: boolean;
}

export interface IncidentsReply extends PagedReply {
  readonly incidents: readonly Incident[];
}

export type LockMetricsReply = WindowSummary;

const share = z.number().min(0).max(1);
const perPhase = z.strictObject({ 'A-0': share, 'A-1': share, 'A-2': share, 'B-0': share, 'B-1': share });

/** `version` is that of the rollout as it was read: the change is refused when somebody was quicker. */
export const flagsBody = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('promote'), version: z.int().min(1) }),
  z.strictObject({ action: z.literal('rollback'), version: z.int().min(1), phase: z.enum(phases).optional() }),
  z.strictObject({
    action: z.literal('set'),
    version: z.int().min(1),
    phase: z.enum(phases).optional(),
    settings: z
      .strictObject({
        shares: perPhase,
        thresholds: perPhase,
        minSessions: z.int().min(1).max(1_000_000),
        windowMs: z.int().min(60_000).max(86_400_000),
        rollback: z.enum(['auto', 'propose']),
      })
      .partial()
      .optional(),
  }),
]);

export const clientFlagsQuery = z.strictObject({
  client: z.string().min(1).max(128),
  key: z.string().max(128).optional(),
});

export const flagsQuery = z.strictObject(idPageFields('flags'));

export const incidentsQuery = z.strictObject(idPageFields('incidents'));

export const lockMetricsQuery = z.strictObject({
  windowMs: z.coerce.number().int().min(60_000).max(86_400_000).optional(),
});
