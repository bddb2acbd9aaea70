/** What the routes answer that show analyses. */
import { z } from 'zod';
import type { AnalysesReply, AnalysisReply } from '../analysis-contract.ts';
import { nextCursor } from '../paging/page-query.ts';

export const analysesAnswer: z.ZodType<AnalysesReply> = z.object({
  analyses: z.array(
    z.object({
      analysisId: z.string(),
      status: z.string(),
      error: z.string().nullable(),
      lockOwner: z.string().nullable(),
      lockToken: z.int(),
      createdAtMs: z.number(),
      finishedAtMs: z.number().nullable(),
    }),
  ),
  cursor: nextCursor,
});

export const analysisAnswer: z.ZodType<AnalysisReply> = z.object({
  analysis: z.object({
    analysisId: z.string(),
    status: z.string(),
    input: z.unknown(),
    result: z.unknown().exactOptional(),
    error: z.string().exactOptional(),
    resultToken: z.int().exactOptional(),
    lockOwner: z.string().nullable().exactOptional(),
    lockExpiresAt: z.string().nullable().exactOptional(),
    lockHeartbeatAt: z.string().nullable().exactOptional(),
    lockToken: z.int().exactOptional(),
  }),
});
