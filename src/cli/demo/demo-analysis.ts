/** An analysis that is delivered twice and done once. */
import type { Platform, SqlDatabase } from '../../core/ports.ts';
import { type AnalysisWorker, createAnalysisWorker, sqlAnalysisRepo } from '../../systems/analysis/index.ts';
import type { Jobs } from '../../systems/jobs/index.ts';
import { demoQueue } from './demo-jobs.ts';

export interface DemoAnalysis {
  /** Makes an analysis, and two runs that both want to do it. */
  deliverTwice(): Promise<string>;
  close(): Promise<void>;
}

export function defineDemoAnalysis(jobs: Jobs, database: SqlDatabase, platform: Platform): DemoAnalysis {
  const repo = sqlAnalysisRepo({ database });
  const worker: AnalysisWorker = createAnalysisWorker({
    repo,
    platform,
    ttlSec: 30,
    name: 'demo',
    analyze: ({ analysisId }) => ({ words: 1_204, language: 'ja', of: analysisId }),
  });
  jobs.define({
    name: 'demo.analysis',
    queue: demoQueue,
    maxRetries: 3,
    async handler({ log, payload }) {
      const { analysisId } = payload as { readonly analysisId: string };
      const outcome = await worker.handle({ analysisId });
      log(`${analysisId}: ${outcome.outcome}${'reason' in outcome ? ` (${outcome.reason})` : ''}`);
      return outcome;
    },
  });
  return {
    async deliverTwice() {
      const analysisId = `demo-${platform.random.hex(4)}`;
      await repo.createAnalysis(analysisId, { text: 'a long story' });
      for (let delivery = 0; delivery < 2; delivery += 1) await jobs.enqueue('demo.analysis', { analysisId });
      return analysisId;
    },
    close: () => worker.close(),
  };
}
