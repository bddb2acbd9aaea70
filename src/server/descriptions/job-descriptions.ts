import {
  auditAnswer,
  canceledAnswer,
  changedAnswer,
  createdAnswer,
  demotedAnswer,
  enqueuedAnswer,
  jobAnswer,
  listJobsAnswer,
  listRunsAnswer,
  logAnswer,
  pausedAnswer,
  previewAnswer,
  reassignedAnswer,
  retriedAnswer,
  runAnswer,
  settingsAnswer,
  slotsAnswer,
  workersAnswer,
} from '../answers/job-answers.ts';
import {
  guaranteesAnswer,
  matchActAnswer,
  matchCountAnswer,
  overviewAnswer,
  refusalsAnswer,
  runCountsAnswer,
} from '../answers/run-answers.ts';
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
} from '../job-contract.ts';
import type { RouteDescription } from '../route-description.ts';
import { countQuery, matchActBody, matchBody, overviewQuery, runsQuery } from '../run-contract.ts';

const act = { body: actBody, bodyOptional: true } as const;

export const jobDescriptions = {
  'GET /api/v1/audit': {
    summary: 'What operators did, newest first.',
    query: auditQuery,
    answer: auditAnswer,
  },
  'POST /api/v1/events': {
    summary: 'Emits an event; every job that listens to it gets a run.',
    body: eventBody,
    answer: createdAnswer,
    statuses: [201, 200],
  },
  'GET /api/v1/jobs': { summary: 'All definitions, by name.', answer: listJobsAnswer },
  'GET /api/v1/jobs/:name': {
    summary: 'A definition with its next five due times.',
    answer: jobAnswer,
    problems: ['unknown-job'],
  },
  'PUT /api/v1/jobs/:name': {
    summary: 'Defines a job that needs no code, or replaces it.',
    body: putJobBody,
    answer: jobAnswer,
    problems: ['invalid-schedule'],
  },
  'POST /api/v1/jobs/:name/pause': {
    summary: 'Pauses a job, or lets it go on.',
    body: pauseBody,
    answer: pausedAnswer,
    problems: ['unknown-job'],
  },
  'POST /api/v1/jobs/:name/runs': {
    summary: 'Enqueues a run.',
    body: enqueueBody,
    answer: enqueuedAnswer,
    statuses: [201, 200],
    problems: ['unknown-job', 'invalid-payload'],
  },
  'GET /api/v1/jobs/:name/slots': {
    summary: 'What became of each due time of a job, newest first.',
    query: limitQuery,
    answer: slotsAnswer,
  },
  'POST /api/v1/leader/demote': { summary: 'Ends the leadership of whoever leads.', ...act, answer: demotedAnswer },
  'GET /api/v1/guarantees': {
    summary: 'What must hold in the data, counted now, and the last fault runs.',
    answer: guaranteesAnswer,
  },
  'GET /api/v1/overview': {
    summary: 'Throughput, latency, what fails now, and what was put right by itself.',
    query: overviewQuery,
    answer: overviewAnswer,
  },
  'POST /api/v1/run-acts': {
    summary: 'Cancels or retries all runs that match, if they are as many as the caller saw.',
    body: matchActBody,
    answer: matchActAnswer,
    problems: ['count-changed'],
  },
  'POST /api/v1/run-acts/count': {
    summary: 'How many runs match, and to how many an act applies.',
    body: matchBody,
    answer: matchCountAnswer,
    once: 'It changes nothing.',
  },
  'GET /api/v1/run-counts': {
    summary: 'How many runs match, by state; with `parts` also when they were due.',
    query: countQuery,
    answer: runCountsAnswer,
  },
  'GET /api/v1/runs/:id/refusals': {
    summary: 'Writes to a run that came too late and changed nothing.',
    answer: refusalsAnswer,
  },
  'GET /api/v1/runs': { summary: 'Runs, newest first.', query: runsQuery, answer: listRunsAnswer },
  'GET /api/v1/runs/:id': { summary: 'A run and every step it took.', answer: runAnswer, problems: ['not-found'] },
  'POST /api/v1/runs/:id/cancel': {
    summary: 'Cancels a run: 200 it had not started, 202 its worker was told.',
    ...act,
    answer: canceledAnswer,
    statuses: [200, 202],
    problems: ['not-found', 'ended'],
  },
  'GET /api/v1/runs/:id/log': {
    summary: 'A page of a run’s log.',
    query: logQuery,
    answer: logAnswer,
    problems: ['not-found', 'log-missing'],
  },
  'POST /api/v1/runs/:id/reassign': {
    summary: 'Gives a run that was given out and has not started to another worker.',
    ...act,
    answer: reassignedAnswer,
    problems: ['not-found', 'wrong-state'],
  },
  'POST /api/v1/runs/:id/retry': {
    summary: 'Runs an ended run once more, as a new one.',
    ...act,
    answer: retriedAnswer,
    statuses: [201],
    problems: ['not-found', 'not-ended', 'has-successor'],
  },
  'POST /api/v1/schedules/preview': {
    summary: 'The next due times of a schedule; nothing is stored.',
    body: previewBody,
    answer: previewAnswer,
    once: 'It changes nothing.',
    problems: ['invalid-schedule'],
  },
  'GET /api/v1/settings': { summary: 'The settings in force.', answer: settingsAnswer },
  'POST /api/v1/settings': {
    summary: 'Changes a setting, in force with the next tick and heartbeat.',
    body: settingBody,
    answer: settingsAnswer,
  },
  'GET /api/v1/workers': { summary: 'Workers, newest first.', answer: workersAnswer },
  'POST /api/v1/workers/:id/detach': {
    summary: 'Gives a worker nothing more and makes it confirm what it runs.',
    ...act,
    answer: changedAnswer,
    problems: ['not-found'],
  },
  'POST /api/v1/workers/:id/drain': {
    summary: 'Lets a worker finish what it has and gives it nothing more.',
    ...act,
    answer: changedAnswer,
    problems: ['not-found'],
  },
} satisfies Readonly<Record<string, RouteDescription>>;
