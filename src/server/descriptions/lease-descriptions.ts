import { z } from 'zod';
import {
  breakAnswer,
  capabilitiesAnswer,
  claimAnswer,
  explainLossAnswer,
  grantAllAnswer,
  grantAnswer,
  leaveAnswer,
  listLeasesAnswer,
  releaseAnswer,
  renewAnswer,
} from '../answers/lease-answers.ts';
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
} from '../contract.ts';
import type { RouteDescription } from '../route-description.ts';

const asOwner =
  'The key stands for `owner`: the same one gets the same grant. A stored answer could promise a lease that has ended.';

export const leaseDescriptions = {
  'GET /api/v1/leases': {
    summary: 'Leases in force, in the order of their keys.',
    query: listQuery,
    answer: listLeasesAnswer,
  },
  'GET /api/v1/leases/capabilities': {
    summary: 'What the store behind this server can do.',
    answer: capabilitiesAnswer,
  },
  'GET /api/v1/leases/notices': {
    summary: 'Grants and breaks for the owners of one process, as they happen.',
    query: noticesQuery,
    answer: {
      contentType: 'application/x-ndjson',
      of: 'One notice per line; first `ready`, then notices and `alive`.',
    },
    problems: ['too-many-waits', 'unsupported'],
  },
  'POST /api/v1/leases/acquire': {
    summary: 'Takes a lease at once, or waits for it up to `waitMs`.',
    body: acquireBody,
    answer: grantAnswer,
    once: asOwner,
    problems: ['held', 'wait-timeout', 'too-many-waits', 'stopping'],
  },
  'POST /api/v1/leases/acquire-all': {
    summary: 'Takes several leases, all or none.',
    body: acquireAllBody,
    answer: grantAllAnswer,
    once: asOwner,
    problems: ['held'],
  },
  'POST /api/v1/leases/break': {
    summary: 'Ends a lease by an operator’s word; the holder is told why.',
    body: breakBody,
    answer: breakAnswer,
  },
  'POST /api/v1/leases/claim': {
    summary: 'Raises the fence of a resource, only upwards.',
    body: claimBody,
    answer: claimAnswer,
  },
  'POST /api/v1/leases/explain-loss': {
    summary: 'Why a grant is no longer in force.',
    body: explainLossBody,
    answer: explainLossAnswer,
    once: 'It changes nothing.',
  },
  'POST /api/v1/leases/leave': {
    summary: 'Leaves the line; `false`: the grant may have come.',
    body: leaveBody,
    answer: leaveAnswer,
  },
  'POST /api/v1/leases/release': {
    summary: 'Gives a lease back; `false`: it was not held, and nothing changed.',
    body: releaseBody,
    answer: releaseAnswer,
  },
  'POST /api/v1/leases/renew': {
    summary: 'Renews one lease, or up to 500 with one answer each.',
    body: z.union([renewOneBody, renewManyBody]),
    answer: renewAnswer,
    once: 'A renewal sent twice is one renewal; a stored one could be of a lease that has ended.',
    problems: ['lost'],
  },
} satisfies Readonly<Record<string, RouteDescription>>;
