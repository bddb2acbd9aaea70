import { z } from 'zod';
import {
  clientFlagsAnswer,
  collectAnswer,
  flagsAnswer,
  incidentsAnswer,
  lockMetricsAnswer,
} from '../answers/telemetry-answers.ts';
import type { RouteDescription } from '../route-description.ts';
import { clientFlagsQuery, flagsBody, flagsQuery, incidentsQuery, lockMetricsQuery } from '../telemetry-contract.ts';

export const telemetryDescriptions = {
  'POST /api/v1/telemetry': {
    summary: 'Stores a batch of events; those that are not understood are named, the others stay.',
    body: z.unknown(),
    query: z.strictObject({ key: z.string().max(128).exactOptional() }),
    answer: collectAnswer,
    once: 'A batch has an id of its own and is stored once by it.',
    problems: ['too-many-events'],
  },
  'GET /api/v1/flags': {
    summary: 'The rollout and its changes, newest first.',
    query: flagsQuery,
    answer: flagsAnswer,
  },
  'POST /api/v1/flags': {
    summary: 'Promotes, rolls back or sets the rollout that the caller has seen.',
    body: flagsBody,
    answer: flagsAnswer,
    problems: ['rollout-changed', 'no-such-phase'],
  },
  'GET /api/v1/flags/client': {
    summary: 'What one client has; for pages.',
    query: clientFlagsQuery,
    answer: clientFlagsAnswer,
  },
  'GET /api/v1/incidents': {
    summary: 'Breaches and what was done, newest first.',
    query: incidentsQuery,
    answer: incidentsAnswer,
  },
  'GET /api/v1/metrics/lock': {
    summary: 'One window’s figures per phase, with the judgement.',
    query: lockMetricsQuery,
    answer: lockMetricsAnswer,
  },
} satisfies Readonly<Record<string, RouteDescription>>;
