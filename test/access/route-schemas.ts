/** The schemas by which each route checks what it is sent. */
import { z } from 'zod';
import { createTokenBody, revokeTokenBody, tokensQuery } from '../../src/server/access/token-contract.ts';
import { analysisTaskBody } from '../../src/server/analysis-task-body.ts';
import * as booking from '../../src/server/booking-contract.ts';
import {
  acquireAllBody,
  acquireBody,
  breakBody,
  claimBody,
  explainLossBody,
  leaveBody,
  listQuery,
  noticesQuery,
  releaseBody,
  renewManyBody,
  renewOneBody,
} from '../../src/server/contract.ts';
import {
  actBody,
  auditQuery,
  enqueueBody,
  eventBody,
  limitQuery,
  logQuery,
  pauseBody,
  previewBody,
  putJobBody,
  settingBody,
} from '../../src/server/job-contract.ts';
import type { Route } from '../../src/server/route.ts';
import { countQuery, matchActBody, matchBody, overviewQuery, runsQuery } from '../../src/server/run-contract.ts';
import { streamQuery } from '../../src/server/stream-contract.ts';
import { clientFlagsQuery, flagsBody, incidentsQuery, lockMetricsQuery } from '../../src/server/telemetry-contract.ts';

export interface RouteSchemas {
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
}

const schemas: Readonly<Record<string, RouteSchemas>> = {
  'POST /api/v1/session': { body: z.strictObject({ code: z.string().min(1).max(128) }) },
  'POST /api/v1/sign-in-codes': {
    body: z.strictObject({ name: z.string().min(1).max(64), role: z.enum(['viewer', 'operator', 'admin']) }),
  },
  'GET /api/v1/leases': { query: listQuery },
  'GET /api/v1/leases/notices': { query: noticesQuery },
  'POST /api/v1/leases/acquire': { body: acquireBody },
  'POST /api/v1/leases/acquire-all': { body: acquireAllBody },
  'POST /api/v1/leases/break': { body: breakBody },
  'POST /api/v1/leases/claim': { body: claimBody },
  'POST /api/v1/leases/explain-loss': { body: explainLossBody },
  'POST /api/v1/leases/leave': { body: leaveBody },
  'POST /api/v1/leases/release': { body: releaseBody },
  'POST /api/v1/leases/renew': { body: z.union([renewOneBody, renewManyBody]) },
  'POST /internal/tasks/analysis': { body: analysisTaskBody },
  'POST /api/v1/flags': { body: flagsBody },
  'GET /api/v1/flags/client': { query: clientFlagsQuery },
  'GET /api/v1/incidents': { query: incidentsQuery },
  'GET /api/v1/metrics/lock': { query: lockMetricsQuery },
  'GET /api/v1/audit': { query: auditQuery },
  'POST /api/v1/events': { body: eventBody },
  'PUT /api/v1/jobs/:name': { body: putJobBody },
  'POST /api/v1/jobs/:name/pause': { body: pauseBody },
  'POST /api/v1/jobs/:name/runs': { body: enqueueBody },
  'GET /api/v1/jobs/:name/slots': { query: limitQuery },
  'GET /api/v1/runs': { query: runsQuery },
  'GET /api/v1/run-counts': { query: countQuery },
  'POST /api/v1/run-acts': { body: matchActBody },
  'POST /api/v1/run-acts/count': { body: matchBody },
  'GET /api/v1/overview': { query: overviewQuery },
  'GET /api/v1/stream': { query: streamQuery },
  'GET /api/v1/booking/days': { query: booking.daysQuery },
  'GET /api/v1/slots': { query: booking.daysQuery },
  'POST /api/v1/booking/hold': { body: booking.holdBody },
  'POST /api/v1/booking/reservations/:id/cancel': { body: booking.actBody },
  'POST /api/v1/booking/reservations/:id/checkout': { body: booking.actBody },
  'POST /api/v1/booking/reservations/:id/returned': { body: booking.actBody },
  'POST /api/v1/sandbox/checkout/:session': { body: booking.sandboxPressBody },
  'POST /api/v1/sandbox': { body: booking.sandboxSettingsBody },
  'POST /api/v1/sandbox/sessions/:session': { body: booking.sandboxPressBody },
  'GET /api/v1/reservations': { query: booking.reservationsQuery },
  'POST /api/v1/reservations/:id/cancel': { body: booking.actBody },
  'POST /api/v1/payments/:id/refund': { body: booking.actBody },
  'POST /api/v1/videos/:id/fixed': { body: booking.fixBody },
  'GET /api/v1/races': { query: booking.racesQuery },
  'GET /api/v1/alerts': { query: booking.alertsQuery },
  'GET /api/v1/mails': { query: booking.mailsQuery },
  'GET /api/v1/runs/:id/log': { query: logQuery },
  'POST /api/v1/schedules/preview': { body: previewBody },
  'POST /api/v1/settings': { body: settingBody },
  'GET /api/v1/tokens': { query: tokensQuery },
  'POST /api/v1/tokens': { body: createTokenBody },
  'POST /api/v1/tokens/:id/revoke': { body: revokeTokenBody },
};

/** Acts take an optional reason; a route that is not named here is sent anything. */
export function schemasOf({ method, path }: Route): RouteSchemas {
  return schemas[`${method} ${path}`] ?? (method === 'POST' ? { body: actBody } : {});
}
