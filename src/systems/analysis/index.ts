export { type Analysis, type AnalysisLockFields, AnalysisStatus, type AnalysisWithLock } from './analysis.ts';
export { AnalysisError, type AnalysisErrorCode } from './analysis-error.ts';
export { analysisMigrations } from './analysis-migrations.ts';
export type {
  AcquireAnalysisLockReply,
  AnalysisEvent,
  AnalysisRepo,
  FinishRequest,
  LockTokenOption,
} from './analysis-repo.ts';
export {
  type AnalysisOutcome,
  type AnalysisWorker,
  type AnalysisWorkerOptions,
  type AnalyzeContext,
  createAnalysisWorker,
} from './create-analysis-worker.ts';
export {
  type AnalysisJobDefinition,
  type AnalysisQueue,
  analysisCloudTask,
  analysisJob,
  analysisJobDefinition,
  type CloudTaskOptions,
  type CloudTaskRequest,
  enqueueAnalysis,
} from './enqueue-analysis.ts';
export { type AnalysisInfo, type AnalysisReader, sqlAnalysisReader } from './sql-analysis-reader.ts';
export { type SqlAnalysisRepoOptions, sqlAnalysisRepo } from './sql-analysis-repo.ts';
