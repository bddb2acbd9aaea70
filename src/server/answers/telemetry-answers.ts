/** What the routes of telemetry, flags and incidents answer. */
import { z } from 'zod';
import {
  type Judgement,
  type Phase,
  phases,
  type Rollout,
  type RolloutSettings,
} from '../../systems/telemetry/index.ts';
import { nextCursor } from '../paging/page-query.ts';
import type {
  ClientFlagsReply,
  CollectReply,
  FlagsReply,
  IncidentsReply,
  LockMetricsReply,
} from '../telemetry-contract.ts';

const phase = z.enum(phases);
const perPhase = z.record(phase, z.number()) as z.ZodType<Record<Phase, number>>;

const settings: z.ZodType<RolloutSettings> = z.object({
  shares: perPhase,
  thresholds: perPhase,
  minSessions: z.number(),
  windowMs: z.number(),
  rollback: z.enum(['auto', 'propose']),
});

const rollout: z.ZodType<Rollout> = z.object({
  name: z.string(),
  phase,
  settings,
  version: z.int(),
  phaseSinceMs: z.number(),
});

const state = z.object({ phase, settings });

/** JSON has no undefined: without an earlier phase `to` is absent. */
const judgement = z.discriminatedUnion('breach', [
  z.object({
    breach: z.literal(false),
    why: z.enum(['no-sessions', 'too-few-sessions', 'within-threshold']),
    rate: z.number(),
  }),
  z.object({ breach: z.literal(true), rate: z.number(), threshold: z.number(), to: phase.exactOptional() }),
]) as unknown as z.ZodType<Judgement>;

export const collectAnswer: z.ZodType<CollectReply> = z.object({
  accepted: z.int().min(0),
  refused: z.array(z.object({ number: z.int(), reason: z.string() })),
});

export const flagsAnswer: z.ZodType<FlagsReply> = z.object({
  rollout,
  changes: z.array(
    z.object({
      version: z.int(),
      atMs: z.number(),
      actor: z.string(),
      action: z.enum(['set', 'promote', 'rollback']),
      before: state,
      after: state,
    }),
  ),
  cursor: nextCursor,
});

export const clientFlagsAnswer: z.ZodType<ClientFlagsReply> = z.object({ phase, autosave: z.boolean() });

export const incidentsAnswer: z.ZodType<IncidentsReply> = z.object({
  incidents: z.array(
    z.object({
      rollout: z.string(),
      version: z.int(),
      atMs: z.number(),
      phase,
      toPhase: phase.nullable(),
      outcome: z.enum(['rolled-back', 'proposed', 'no-earlier-phase']),
      sessions: z.int(),
      readonlySessions: z.int(),
      threshold: z.number(),
      windowMs: z.number(),
      command: z.string().nullable(),
      output: z.string().nullable(),
    }),
  ),
  cursor: nextCursor,
});

export const lockMetricsAnswer: z.ZodType<LockMetricsReply> = z.object({
  rollout: z.string(),
  phase,
  windowMs: z.number(),
  phases: z.array(
    z.object({
      phase,
      current: z.boolean(),
      sessions: z.int(),
      readonlySessions: z.int(),
      readonlyRate: z.number(),
      acquireP50Ms: z.number().exactOptional(),
      acquireP95Ms: z.number().exactOptional(),
      fallbackShare: z.number(),
      renewFailures: z.int(),
    }),
  ),
  judgement,
});
