/** Every route of the server: method, path, who may, and the file that does it. A route without a role does not compile. */
import type { Role } from './authenticate.ts';
import type { Handler, SystemServices } from './call.ts';
import { acquireLease } from './routes/acquire-lease.ts';
import { acquireLeases } from './routes/acquire-leases.ts';
import { breakLease } from './routes/break-lease.ts';
import { changeFlags } from './routes/change-flags.ts';
import { claimFence } from './routes/claim-fence.ts';
import { collectTelemetry } from './routes/collect-telemetry.ts';
import { createSignInCode } from './routes/create-sign-in-code.ts';
import { endSession } from './routes/end-session.ts';
import { explainLoss } from './routes/explain-loss.ts';
import { getCapabilities } from './routes/get-capabilities.ts';
import { getClientFlags } from './routes/get-client-flags.ts';
import { getHealth } from './routes/get-health.ts';
import { getLockMetrics } from './routes/get-lock-metrics.ts';
import { getReadiness } from './routes/get-readiness.ts';
import { getSession } from './routes/get-session.ts';
import { leaveLine } from './routes/leave-line.ts';
import { listFlags } from './routes/list-flags.ts';
import { listIncidents } from './routes/list-incidents.ts';
import { listLeases } from './routes/list-leases.ts';
import { releaseLease } from './routes/release-lease.ts';
import { renewLeases } from './routes/renew-leases.ts';
import { runAnalysisTask } from './routes/run-analysis-task.ts';
import { startSession } from './routes/start-session.ts';
import { streamNotices } from './routes/stream-notices.ts';

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The least role that may; `anyone` needs no token, `internal` is for task queues and nobody else. */
  readonly role: Role | 'anyone' | 'internal';
  readonly handle: Handler;
  /** The route exists only where the server has this system. */
  readonly system?: keyof SystemServices;
}

export const routes: readonly Route[] = [
  { method: 'GET', path: '/healthz', role: 'anyone', handle: getHealth },
  { method: 'GET', path: '/readyz', role: 'anyone', handle: getReadiness },
  { method: 'GET', path: '/api/v1/session', role: 'viewer', handle: getSession, system: 'signIn' },
  { method: 'POST', path: '/api/v1/session', role: 'anyone', handle: startSession, system: 'signIn' },
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
  { method: 'POST', path: '/internal/tasks/analysis', role: 'internal', handle: runAnalysisTask, system: 'analysis' },
  { method: 'POST', path: '/api/v1/telemetry', role: 'anyone', handle: collectTelemetry, system: 'telemetry' },
  { method: 'GET', path: '/api/v1/flags', role: 'viewer', handle: listFlags, system: 'telemetry' },
  { method: 'POST', path: '/api/v1/flags', role: 'operator', handle: changeFlags, system: 'telemetry' },
  { method: 'GET', path: '/api/v1/flags/client', role: 'anyone', handle: getClientFlags, system: 'telemetry' },
  { method: 'GET', path: '/api/v1/incidents', role: 'viewer', handle: listIncidents, system: 'telemetry' },
  { method: 'GET', path: '/api/v1/metrics/lock', role: 'viewer', handle: getLockMetrics, system: 'telemetry' },
];
