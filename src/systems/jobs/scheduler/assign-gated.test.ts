import { describe, expect, it } from 'vitest';
import { assignGated, type Candidate, type GatedRun } from './assign-gated.ts';

const run = (id: number, fields: Partial<GatedRun> = {}): GatedRun => ({
  id,
  job_definition_id: 1,
  queue_id: 1,
  assigned_worker_id: null,
  ...fields,
});
const worker = (id: number, fields: Partial<Candidate> = {}): Candidate => ({
  id,
  capacity: 10,
  load: 0,
  leading: false,
  queue_ids: [1],
  definition_ids: [1],
  ...fields,
});
const given = (runs: readonly GatedRun[], workers: readonly Candidate[]): Record<number, readonly number[]> =>
  Object.fromEntries(assignGated(runs, workers));

describe('assignGated', () => {
  it('gives to the least loaded, by its share, and counts what it gives', () => {
    expect(given([run(1), run(2), run(3)], [worker(1, { load: 1 }), worker(2)])).toEqual({ 2: [1, 3], 1: [2] });
    expect(given([run(1)], [worker(1, { load: 3, capacity: 100 }), worker(2, { load: 1 })])).toEqual({ 1: [1] });
  });

  it('only to those that serve the queue and have the handler', () => {
    expect(given([run(1)], [worker(1, { queue_ids: [2] }), worker(2, { definition_ids: [2] })])).toEqual({});
    expect(given([run(1)], [worker(1, { queue_ids: [2] }), worker(2, { load: 9 })])).toEqual({ 2: [1] });
  });

  it('to the leader only if nobody else can, and back to who lost it only if there is nobody at all', () => {
    expect(given([run(1)], [worker(1, { leading: true }), worker(2, { load: 9 })])).toEqual({ 2: [1] });
    expect(given([run(1)], [worker(1, { leading: true })])).toEqual({ 1: [1] });
    const lost = run(1, { assigned_worker_id: 2 });
    expect(given([lost], [worker(1, { leading: true }), worker(2)])).toEqual({ 1: [1] });
    expect(given([lost], [worker(2)])).toEqual({ 2: [1] });
  });

  it('to a worker that is full, but not without an end', () => {
    expect(given([run(1)], [worker(1, { capacity: 2, load: 3 })])).toEqual({ 1: [1] });
    expect(given([run(1)], [worker(1, { capacity: 2, load: 4 })])).toEqual({});
    expect(given([], [worker(1)])).toEqual({});
  });
});
