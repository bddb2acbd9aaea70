/** What the routes answer that look for runs, count them and act on all that match. Series and lists are open below. */
import { z } from 'zod';
import type {
  GuaranteesReply,
  MatchActReply,
  MatchCountReply,
  OverviewReply,
  RefusalsReply,
  RunCountsReply,
} from '../run-contract.ts';

const entry = z.looseObject({});

export const runCountsAnswer: z.ZodType<RunCountsReply> = z.object({
  states: z.record(z.string(), z.number()),
  total: z.number(),
  complete: z.boolean(),
  atMs: z.number(),
  parts: z.array(z.object({ startMs: z.number(), state: z.string(), count: z.number() })).exactOptional(),
}) as unknown as z.ZodType<RunCountsReply>;

export const matchCountAnswer: z.ZodType<MatchCountReply> = z.object({
  matching: z.number(),
  applies: z.number(),
  atMs: z.number(),
});

export const matchActAnswer: z.ZodType<MatchActReply> = z.object({
  acted: z.literal(true),
  done: z.number(),
  leftOut: z.number(),
  remaining: z.number(),
});

export const overviewAnswer: z.ZodType<OverviewReply> = z.object({
  atMs: z.number(),
  partMs: z.number(),
  parts: z.array(entry),
  failing: z.array(entry),
  epochs: z.array(entry),
  handled: entry,
}) as unknown as z.ZodType<OverviewReply>;

export const refusalsAnswer: z.ZodType<RefusalsReply> = z.object({
  refusals: z.array(entry),
}) as unknown as z.ZodType<RefusalsReply>;

export const guaranteesAnswer: z.ZodType<GuaranteesReply> = z.object({
  atMs: z.number(),
  invariants: z.array(entry),
  clockOffsetMs: z.number(),
  clockUncertaintyMs: z.number(),
  faults: z.array(entry),
}) as unknown as z.ZodType<GuaranteesReply>;
