import { expect, it } from 'vitest';
import { type ClaimRow, readClaim } from './read-claim.ts';

const empty: ClaimRow = {
  ids: null,
  tokens: null,
  definitions: null,
  payloads: null,
  bytes: null,
  epoch: 5,
  odd_ids: null,
  odd_versions: null,
  odd_attempts: null,
  odd_priorities: null,
  odd_due_ms: null,
  at_priority: null,
  at_seconds: null,
  at_id: null,
};

it('reads columns as runs, and what is odd about some', () => {
  expect(readClaim(empty)).toEqual([]);
  expect(readClaim(undefined)).toEqual([]);
  const row: ClaimRow = {
    ...empty,
    ids: '{3,9007199254740991}',
    tokens: '{8,7}',
    definitions: '{1,2}',
    payloads: [{ a: 1 }, null],
    odd_ids: '{9007199254740991}',
    odd_versions: '{5}',
    odd_attempts: '{2}',
    odd_priorities: '{-4}',
    odd_due_ms: [1_000],
  };
  const shared = { leader_epoch: 5 };
  expect(readClaim(row)).toEqual([
    {
      ...shared,
      id: 3,
      version: 3,
      attempt: 1,
      job_definition_id: 1,
      start_token: 8,
      payload: { a: 1 },
      priority: 0,
      due_ms: null,
    },
    {
      ...shared,
      id: 2 ** 53 - 1,
      version: 5,
      attempt: 2,
      job_definition_id: 2,
      start_token: 7,
      payload: null,
      priority: -4,
      due_ms: 1_000,
    },
  ]);
});
