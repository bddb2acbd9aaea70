/** Looking for runs, counting them, and acting on all that match. */
import { z } from 'zod';
import type {
  BulkAction,
  BulkOutcome,
  Guarantees,
  JobRefusal,
  JobState,
  JobsOverview,
  MatchCount,
  RunBucket,
  RunCounts,
  RunFilter,
} from '../systems/jobs/index.ts';
import { jobTransitions } from '../systems/jobs/index.ts';
import type { FaultResult } from './fault-results.ts';
import { httpLimits } from './http-limits.ts';
import { type IdPage, idPageFields, type PagedReply } from './paging/page-query.ts';

const states = jobTransitions.states as [JobState, ...JobState[]];
const state = z
  .string()
  .max(200)
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(states)).min(1).max(states.length))
  .exactOptional();
const id = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).exactOptional();
const moment = z.coerce.number().int().min(0).max(8_000_000_000_000).exactOptional();
const payload = z
  .string()
  .max(1_000)
  .regex(/^[^=]+=/, 'must be a path and a value, like order.id=5')
  .transform((text) => {
    const at = text.indexOf('=');
    return { path: text.slice(0, at).split('.').slice(0, 10), value: text.slice(at + 1) };
  })
  .exactOptional();
const filter = {
  state,
  job: z.string().min(1).max(200).exactOptional(),
  workerId: id,
  leaderEpoch: id,
  fromMs: moment,
  toMs: moment,
  payload,
};

export const runsQuery: z.ZodType<IdPage & RunFilter> = z.strictObject({ ...filter, ...idPageFields('runs') });

export const refusalsQuery: z.ZodType<IdPage> = z.strictObject(idPageFields('refusals'));

export interface CountQuery extends RunFilter {
  /** Also when they were due, in so many parts; needs `fromMs` and `toMs`. */
  readonly parts?: number;
}

export const countQuery: z.ZodType<CountQuery> = z.strictObject({
  ...filter,
  parts: z.coerce.number().int().min(1).max(500).exactOptional(),
});

export interface MatchBody {
  readonly action: BulkAction;
  readonly filter: RunFilter;
}

const body = {
  action: z.enum(['cancel', 'retry']),
  filter: z.strictObject({
    ...filter,
    ids: z.array(z.int().min(1)).min(1).max(1_000).exactOptional(),
  }),
};

export const matchBody: z.ZodType<MatchBody> = z.strictObject(body);

export interface MatchActBody extends MatchBody {
  /** How many the caller saw that it applies to. */
  readonly expected: number;
  /** Kept in the audit; needed for more than twenty. */
  readonly why?: string;
}

export const matchActBody: z.ZodType<MatchActBody> = z.strictObject({
  ...body,
  expected: z.int().min(0),
  why: z.string().trim().min(1).max(httpLimits.reasonMax).exactOptional(),
});

export const overviewQuery: z.ZodType<{ readonly minutes?: number }> = z.strictObject({
  minutes: z.coerce.number().int().min(1).max(1_440).exactOptional(),
});

export type RunCountsReply = RunCounts & { readonly parts?: readonly RunBucket[] };
export type MatchCountReply = MatchCount;
export type MatchActReply = Extract<BulkOutcome, { readonly acted: true }>;
export type OverviewReply = JobsOverview;
export type RefusalsReply = PagedReply & { readonly refusals: readonly JobRefusal[] };
export type GuaranteesReply = Guarantees & { readonly faults: readonly FaultResult[] };
