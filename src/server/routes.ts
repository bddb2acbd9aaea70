/** Every route of the server: method, path, who may, and the file that does it. A route without a role does not compile. */
import { bookingRoutes } from './booking-routes.ts';
import type { Route } from './route.ts';
import { acquireLease } from './routes/acquire-lease.ts';
import { acquireLeases } from './routes/acquire-leases.ts';
import { actOnMatching } from './routes/act-on-matching.ts';
import { breakLease } from './routes/break-lease.ts';
import { cancelRun } from './routes/cancel-run.ts';
import { changeFlags } from './routes/change-flags.ts';
import { changeSetting } from './routes/change-setting.ts';
import { claimFence } from './routes/claim-fence.ts';
import { collectTelemetry } from './routes/collect-telemetry.ts';
import { countMatching } from './routes/count-matching.ts';
import { countRuns } from './routes/count-runs.ts';
import { createSignInCode } from './routes/create-sign-in-code.ts';
import { createToken } from './routes/create-token.ts';
import { demoteLeader } from './routes/demote-leader.ts';
import { detachWorker } from './routes/detach-worker.ts';
import { drainWorker } from './routes/drain-worker.ts';
import { emitEvent } from './routes/emit-event.ts';
import { endSession } from './routes/end-session.ts';
import { enqueueRun } from './routes/enqueue-run.ts';
import { explainLoss } from './routes/explain-loss.ts';
import { getAnalysis } from './routes/get-analysis.ts';
import { getApiReference } from './routes/get-api-reference.ts';
import { getCapabilities } from './routes/get-capabilities.ts';
import { getClientFlags } from './routes/get-client-flags.ts';
import { getGuarantees } from './routes/get-guarantees.ts';
import { getHealth } from './routes/get-health.ts';
import { getJob } from './routes/get-job.ts';
import { getLockMetrics } from './routes/get-lock-metrics.ts';
import { getMetrics } from './routes/get-metrics.ts';
import { getOpenapi } from './routes/get-openapi.ts';
import { getOverview } from './routes/get-overview.ts';
import { getReadiness } from './routes/get-readiness.ts';
import { getRun } from './routes/get-run.ts';
import { getRunLog } from './routes/get-run-log.ts';
import { getSession } from './routes/get-session.ts';
import { getSettings } from './routes/get-settings.ts';
import { leaveLine } from './routes/leave-line.ts';
import { listAnalyses } from './routes/list-analyses.ts';
import { listAudit } from './routes/list-audit.ts';
import { listFlags } from './routes/list-flags.ts';
import { listIncidents } from './routes/list-incidents.ts';
import { listJobs } from './routes/list-jobs.ts';
import { listLeases } from './routes/list-leases.ts';
import { listRefusals } from './routes/list-refusals.ts';
import { listRuns } from './routes/list-runs.ts';
import { listSlots } from './routes/list-slots.ts';
import { listTokens } from './routes/list-tokens.ts';
import { listWorkers } from './routes/list-workers.ts';
import { pauseJob } from './routes/pause-job.ts';
import { previewSchedule } from './routes/preview-schedule.ts';
import { putJob } from './routes/put-job.ts';
import { reassignRun } from './routes/reassign-run.ts';
import { releaseLease } from './routes/release-lease.ts';
import { renewLeases } from './routes/renew-leases.ts';
import { retryRun } from './routes/retry-run.ts';
import { revokeToken } from './routes/revoke-token.ts';
import { runAnalysisTask } from './routes/run-analysis-task.ts';
import { startSession } from './routes/start-session.ts';
import { streamChanges } from './routes/stream-changes.ts';
import { streamNotices } from './routes/stream-notices.ts';

const table = [
  { method: 'GET', path: '/healthz', role: 'anyone', handle: getHealth, limit: 'none' },
  { method: 'GET', path: '/readyz', role: 'anyone', handle: getReadiness, limit: 'none' },
  { method: 'GET', path: '/metrics', role: 'viewer', handle: getMetrics },
  { method: 'GET', path: '/openapi.json', role: 'anyone', handle: getOpenapi },
  { method: 'GET', path: '/docs/api', role: 'anyone', handle: getApiReference },
  { method: 'GET', path: '/api/v1/session', role: 'viewer', handle: getSession, system: 'signIn' },
  { method: 'POST', path: '/api/v1/session', role: 'anyone', handle: startSession, system: 'signIn', limit: 'sign-in' },
  { method: 'POST', path: '/api/v1/session/end', role: 'viewer', handle: endSession, system: 'signIn' },
  { method: 'POST', path: '/api/v1/sign-in-codes', role: 'admin', handle: createSignInCode, system: 'signIn' },
  { method: 'GET', path: '/api/v1/leases', role: 'viewer', handle: listLeases },
  { method: 'GET', path: '/api/v1/leases/capabilities', role: 'viewer', handle: getCapabilities },
  { method: 'GET', path: '/api/v1/leases/notices', role: 'operator', handle: streamNotices },
  { method: 'POST', path: '/api/v1/leases/acquire', role: 'operator', handle: acquireLease },
  { method: 'POST', path: '/api/v1/leases/acquire-all', role: 'operator', handle: acquireLeases },
  { method: 'POST', path: '/api/v1/leases/break', role: 'operator', handle: breakLease },
  { method: 'POST', path: '/api/v1/leases/claim', role: 'operator', handle: claimFence },
  { method: 'POST', path: '/api/v1/leases/explain-loss', role: 'viewer', handle: explainLoss },
  { method: 'POST', path: '/api/v1/leases/leave', role: 'operator', handle: leaveLine },
  { method: 'POST', path: '/api/v1/leases/release', role: 'operator', handle: releaseLease },
  { method: 'POST', path: '/api/v1/leases/renew', role: 'operator', handle: renewLeases },
  { method: 'GET', path: '/api/v1/analyses', role: 'viewer', handle: listAnalyses, system: 'analysis' },
  { method: 'GET', path: '/api/v1/analyses/:id', role: 'viewer', handle: getAnalysis, system: 'analysis' },
  { method: 'POST', path: '/internal/tasks/analysis', role: 'internal', handle: runAnalysisTask, system: 'analysis' },
  {
    method: 'POST',
    path: '/api/v1/telemetry',
    role: 'anyone',
    handle: collectTelemetry,
    system: 'telemetry',
    crossOrigin: true,
  },
  { method: 'GET', path: '/api/v1/flags', role: 'viewer', handle: listFlags, system: 'telemetry' },
  { method: 'POST', path: '/api/v1/flags', role: 'operator', handle: changeFlags, system: 'telemetry' },
  { method: 'GET', path: '/api/v1/flags/client', role: 'anyone', handle: getClientFlags, system: 'telemetry' },
  { method: 'GET', path: '/api/v1/incidents', role: 'viewer', handle: listIncidents, system: 'telemetry' },
  { method: 'GET', path: '/api/v1/metrics/lock', role: 'viewer', handle: getLockMetrics, system: 'telemetry' },
  { method: 'GET', path: '/api/v1/audit', role: 'viewer', handle: listAudit },
  { method: 'POST', path: '/api/v1/events', role: 'operator', handle: emitEvent },
  { method: 'GET', path: '/api/v1/guarantees', role: 'viewer', handle: getGuarantees },
  { method: 'GET', path: '/api/v1/jobs', role: 'viewer', handle: listJobs },
  { method: 'GET', path: '/api/v1/jobs/:name', role: 'viewer', handle: getJob },
  { method: 'PUT', path: '/api/v1/jobs/:name', role: 'admin', handle: putJob },
  { method: 'POST', path: '/api/v1/jobs/:name/pause', role: 'operator', handle: pauseJob },
  { method: 'POST', path: '/api/v1/jobs/:name/runs', role: 'operator', handle: enqueueRun },
  { method: 'GET', path: '/api/v1/jobs/:name/slots', role: 'viewer', handle: listSlots },
  { method: 'POST', path: '/api/v1/leader/demote', role: 'operator', handle: demoteLeader },
  { method: 'GET', path: '/api/v1/overview', role: 'viewer', handle: getOverview },
  { method: 'POST', path: '/api/v1/run-acts', role: 'operator', handle: actOnMatching },
  { method: 'POST', path: '/api/v1/run-acts/count', role: 'viewer', handle: countMatching },
  { method: 'GET', path: '/api/v1/run-counts', role: 'viewer', handle: countRuns },
  { method: 'GET', path: '/api/v1/runs', role: 'viewer', handle: listRuns },
  { method: 'GET', path: '/api/v1/runs/:id', role: 'viewer', handle: getRun },
  { method: 'POST', path: '/api/v1/runs/:id/cancel', role: 'operator', handle: cancelRun },
  { method: 'GET', path: '/api/v1/runs/:id/log', role: 'viewer', handle: getRunLog },
  { method: 'GET', path: '/api/v1/runs/:id/refusals', role: 'viewer', handle: listRefusals },
  { method: 'POST', path: '/api/v1/runs/:id/reassign', role: 'operator', handle: reassignRun },
  { method: 'POST', path: '/api/v1/runs/:id/retry', role: 'operator', handle: retryRun },
  { method: 'POST', path: '/api/v1/schedules/preview', role: 'viewer', handle: previewSchedule },
  { method: 'GET', path: '/api/v1/settings', role: 'viewer', handle: getSettings },
  { method: 'POST', path: '/api/v1/settings', role: 'admin', handle: changeSetting },
  { method: 'GET', path: '/api/v1/stream', role: 'viewer', handle: streamChanges, system: 'changes' },
  { method: 'GET', path: '/api/v1/tokens', role: 'admin', handle: listTokens, system: 'apiTokens' },
  { method: 'POST', path: '/api/v1/tokens', role: 'admin', handle: createToken, system: 'apiTokens' },
  { method: 'POST', path: '/api/v1/tokens/:id/revoke', role: 'admin', handle: revokeToken, system: 'apiTokens' },
  { method: 'GET', path: '/api/v1/workers', role: 'viewer', handle: listWorkers },
  { method: 'POST', path: '/api/v1/workers/:id/detach', role: 'operator', handle: detachWorker },
  { method: 'POST', path: '/api/v1/workers/:id/drain', role: 'operator', handle: drainWorker },
  ...bookingRoutes,
] as const satisfies readonly Route[];

/** `POST /api/v1/leases/acquire`, and so on. */
export type RouteName = NameOf<(typeof table)[number]>;

type NameOf<Entry> = Entry extends {
  readonly method: infer Method extends string;
  readonly path: infer Path extends string;
}
  ? `${Method} ${Path}`
  : never;

export const routes: readonly Route[] = table;
