import { describe, expect, it } from 'vitest';
import { storeDefinition } from '../job-definition.ts';
import { type FailedRun, failureOutcome } from './failure-outcome.ts';

const definition = storeDefinition({
  name: 'x',
  timeoutSeconds: 5,
  backoff: { baseMs: 1_000, maxMs: 5_000, factor: 3 },
});
const outcome = (part: Partial<FailedRun>): ReturnType<typeof failureOutcome> =>
  failureOutcome({ error: new Error('no'), stopped: undefined, attempt: 1, definition, fraction: 0, ...part });

describe('failureOutcome', () => {
  it('backs off with the attempts, half of it by chance, up to the longest', () => {
    const delays = [1, 2, 3, 9].map((attempt) => outcome({ attempt }).retryDelaySeconds);
    expect(delays).toEqual([0.5, 1.5, 2.5, 2.5]);
    expect(outcome({ attempt: 2, fraction: 0.5 }).retryDelaySeconds).toBe(2.25);
  });

  it('does what the error asks for', () => {
    expect(outcome({ error: Object.assign(new Error('no'), { retryable: false }) })).toMatchObject({
      retryDelaySeconds: null,
    });
    expect(outcome({ error: Object.assign(new Error('no'), { retryAfterMs: 70 }) })).toMatchObject({
      retryDelaySeconds: 0.07,
    });
  });

  it.each([
    ['cancel', { state: 'CANCELED', reason: 'canceled' }],
    ['timeout', { state: 'TIMED_OUT', reason: 'timeout', error: 'It ran longer than 5 s.', retryDelaySeconds: 0.5 }],
    ['cut-off', { state: 'FAILED', reason: 'worker-cut-off', retryDelaySeconds: 0 }],
    ['shutdown', { state: 'FAILED', reason: 'worker-stopped', retryDelaySeconds: 0 }],
    ['lost', { state: 'FAILED', reason: 'handler-failed' }],
  ] as const)('a run stopped by %s', (stopped, wanted) => {
    expect(outcome({ stopped })).toMatchObject(wanted);
  });
});
