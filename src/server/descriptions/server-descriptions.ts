import { z } from 'zod';
import { createTokenBody, revokeTokenBody, tokensQuery } from '../access/token-contract.ts';
import { analysesQuery } from '../analysis-contract.ts';
import { analysisTaskBody } from '../analysis-task-body.ts';
import { createTokenAnswer, tokenAnswer, tokensAnswer } from '../answers/access-answers.ts';
import { analysesAnswer, analysisAnswer } from '../answers/analysis-answers.ts';
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
import { streamQuery } from '../stream-query.ts';

const secretAnswer = 'The answer is a secret, and secrets are not stored.';

export const serverDescriptions = {
  'GET /healthz': { summary: 'The process is alive; it asks nobody.', answer: healthAnswer },
  'GET /readyz': {
    summary: 'The database answers and has its tables.',
    answer: readinessAnswer,
    problems: ['not-ready'],
  },
  'GET /metrics': {
    summary: 'Figures for Prometheus.',
    answer: { contentType: 'text/plain', of: 'The text format of Prometheus.' },
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
    once: 'The code works once by itself, and a session must not be stored.',
  },
  'POST /api/v1/session/end': {
    summary: 'Signs out this browser.',
    answer: endedAnswer,
    once: 'Signing out twice is signing out.',
  },
  'POST /api/v1/sign-in-codes': {
    summary: 'A one-time link for somebody else.',
    body: signInCodeBody,
    answer: signInCodeAnswer,
    once: secretAnswer,
  },
  'GET /api/v1/tokens': { summary: 'Tokens, newest first.', query: tokensQuery, answer: tokensAnswer },
  'POST /api/v1/tokens': {
    summary: 'Makes a token, which is told this once.',
    body: createTokenBody,
    answer: createTokenAnswer,
    statuses: [201],
    once: secretAnswer,
  },
  'POST /api/v1/tokens/:id/revoke': {
    summary: 'Ends a token on every server at once.',
    body: revokeTokenBody,
    bodyOptional: true,
    answer: tokenAnswer,
    problems: ['not-found'],
  },
  'GET /api/v1/stream': {
    summary: 'Changes as they happen; goes on after `Last-Event-ID`, on any server of the database.',
    query: streamQuery,
    answer: { contentType: 'text/event-stream', of: '`change` with topic and id, or `reset`: load everything.' },
    problems: ['too-many-streams', 'stopping'],
  },
  'GET /api/v1/analyses': { summary: 'Analyses, by id.', query: analysesQuery, answer: analysesAnswer },
  'GET /api/v1/analyses/:id': {
    summary: 'An analysis: what was asked, what was found, who is at it.',
    answer: analysisAnswer,
    problems: ['not-found'],
  },
  'POST /internal/tasks/analysis': {
    summary: 'Runs an analysis for a task queue; 409: come again.',
    body: analysisTaskBody,
    answer: analysisTaskAnswer,
    once: 'The lock and the state of the analysis let it happen once.',
    problems: ['held', 'lost', 'not-found'],
  },
} satisfies Readonly<Record<string, RouteDescription>>;
