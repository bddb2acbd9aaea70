import { z } from 'zod';
import type { AnalysisOutcome } from '../systems/analysis/index.ts';

const id = z.string().min(1).max(512);

/** `analysisId` is read too. */
export const analysisTaskBody = z
  .union([z.object({ analysis_id: id }), z.object({ analysisId: id })], {
    error: 'Send { "analysis_id": "…" } with an id of 1 to 512 characters.',
  })
  .transform((body) => ('analysis_id' in body ? body.analysis_id : body.analysisId));

export interface AnalysisTaskReply {
  readonly outcome: AnalysisOutcome['outcome'];
  readonly reason?: string;
}
