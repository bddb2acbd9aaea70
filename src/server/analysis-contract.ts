/** Analyses over the wire, to look at. */
import { z } from 'zod';
import type { AnalysisInfo, AnalysisWithLock } from '../systems/analysis/index.ts';
import { cursorOf } from './paging/page-cursor.ts';
import { type PagedReply, pageLimit } from './paging/page-query.ts';

export const analysesQuery = z.strictObject({
  status: z.string().min(1).max(100).exactOptional(),
  cursor: cursorOf('analyses', z.tuple([z.string().min(1).max(1_500)])).exactOptional(),
  limit: pageLimit,
});

export interface AnalysesReply extends PagedReply {
  readonly analyses: readonly AnalysisInfo[];
}

export interface AnalysisReply {
  readonly analysis: AnalysisWithLock;
}
