import { z } from 'zod';
import { analysisTaskBody } from '../analysis-task-body.ts';
import {
  analysisTaskAnswer,
  callerAnswer,
  endedAnswer,
  healthAnswer,
  readinessAnswer,
  signInCodeAnswer,
} from '../answers/server-answers.ts';
import type { RouteDescription } from '../route-description.ts';
import { sessionBody, signInCodeBody } from '../sign-in/sign-in-contract.ts';
import { streamQuery } from '../stream-contract.ts';

export const serverDescriptions = {
  'GET /healthz': { summary: 'The process is alive; it asks nobody.', answer: healthAnswer },
  'GET /readyz': {
    summary: 'The database answers and has its tables.',
    answer: readinessAnswer,
    problems: ['not-ready'],
  },
  'GET /openapi.json': {
    summary: 'This description, for programs.',
    answer: z.object({ openapi: z.literal('3.1.0') }).loose(),
  },
  'GET /docs/api': {
    summary: 'This description, for people.',
    answer: { contentType: 'text/html', of: 'A page without scripts.' },
  },
  'GET /api/v1/session': { summary: 'Who the caller is.', answer: callerAnswer },
  'POST /api/v1/session': {
    summary: 'Exchanges a one-time code for a session; only from pages of this server.',
    body: sessionBody,
    answer: callerAnswer,
  },
  'POST /api/v1/session/end': { summary: 'Signs out this browser.', answer: endedAnswer },
  'POST /api/v1/sign-in-codes': {
    summary: 'A one-time link for somebody else.',
    body: signInCodeBody,
    answer: signInCodeAnswer,
  },
  'GET /api/v1/stream': {
    summary: 'Changes as they happen; goes on after `Last-Event-ID`, on any server of the database.',
    query: streamQuery,
    answer: { contentType: 'text/event-stream', of: '`change` with topic and id, or `reset`: load everything.' },
    problems: ['too-many-streams', 'stopping'],
  },
  'POST /internal/tasks/analysis': {
    summary: 'Runs an analysis for a task queue; 409: come again.',
    body: analysisTaskBody,
    answer: analysisTaskAnswer,
    problems: ['held', 'lost', 'not-found'],
  },
} satisfies Readonly<Record<string, RouteDescription>>;
