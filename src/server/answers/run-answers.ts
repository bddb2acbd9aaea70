/** What the routes answer that look for runs, count them and act on all that match. */
import { z } from 'zod';
import { type JobState, jobTransitions } from '../../systems/jobs/index.ts';
import { nextCursor } from '../paging/page-query.ts';
import type {
  GuaranteesReply,
  MatchActReply,
  MatchCountReply,
  OverviewReply,
  RefusalsReply,
  RunCountsReply,
} from '../run-contract.ts';

const number = z.number();
const numberOrNull = z.number().nullable();
const state = z.enum(jobTransitions.states as [JobState, ...JobState[]]);

export const runCountsAnswer: z.ZodType<RunCountsReply> = z.object({
  states: z.partialRecord(state, number),
  total: number,
  complete: z.boolean(),
  atMs: number,
  parts: z.array(z.object({ startMs: number, state, count: number })).exactOptional(),
});

export const matchCountAnswer: z.ZodType<MatchCountReply> = z.object({
  matching: number,
  applies: number,
  atMs: number,
});

export const matchActAnswer: z.ZodType<MatchActReply> = z.object({
  acted: z.literal(true),
  done: number,
  leftOut: number,
  remaining: number,
});

export const overviewAnswer: z.ZodType<OverviewReply> = z.object({
  atMs: number,
  partMs: number,
  parts: z.array(
    z.object({ startMs: number, succeeded: number, failed: number, p50Ms: numberOrNull, p95Ms: numberOrNull }),
  ),
  failing: z.array(
    z.object({
      job: z.string(),
      failed: number,
      ended: number,
      lastError: z.string().nullable(),
      lastRunId: number,
      firstAtMs: number,
      lastAtMs: number,
      nextTryAtMs: numberOrNull,
      failures: z.array(number),
    }),
  ),
  epoch: number,
  epochs: z.array(z.object({ epoch: number, fromMs: number, toMs: number })),
  handled: z.object({
    refusedWrites: number,
    movedRuns: number,
    recoveredRuns: number,
    skippedRuns: number,
    leaderChanges: number,
  }),
});

export const refusalsAnswer: z.ZodType<RefusalsReply> = z.object({
  refusals: z.array(
    z.object({
      id: number,
      runId: number,
      atMs: number,
      workerId: numberOrNull,
      leaderEpoch: numberOrNull,
      version: numberOrNull,
      attempt: numberOrNull,
      wanted: z.string(),
      reason: z.enum(['not-found', 'stale-epoch', 'stale-version', 'wrong-state', 'wrong-worker']),
    }),
  ),
  cursor: nextCursor,
});

export const guaranteesAnswer: z.ZodType<GuaranteesReply> = z.object({
  atMs: number,
  invariants: z.array(
    z.object({
      name: z.enum([
        'one-place',
        'one-successor',
        'one-at-a-time',
        'tokens-rise',
        'epochs-not-ahead',
        'ended-has-started',
      ]),
      violations: number,
      looked: number,
    }),
  ),
  clockOffsetMs: number,
  clockUncertaintyMs: number,
  faults: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      ok: z.boolean(),
      rounds: number,
      seed: number.exactOptional(),
      seconds: number,
      date: z.string(),
    }),
  ),
});
