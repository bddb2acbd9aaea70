import { describe, expect, it } from 'vitest';
import { JobError } from '../job-error.ts';
import { describeFailure } from './describe-failure.ts';

describe('describeFailure', () => {
  it.each<[unknown, string, string]>([
    ['no luck', 'handler-failed', 'The handler threw "no luck".'],
    [undefined, 'handler-failed', 'The handler threw undefined.'],
    [null, 'handler-failed', 'The handler threw null.'],
    [42n, 'handler-failed', 'The handler threw 42.'],
    [{ a: 1 }, 'handler-failed', 'The handler threw {"a":1}.'],
    [new TypeError('x is not a function'), 'handler-failed', 'TypeError: x is not a function'],
    [new Error('outer', { cause: new Error('inner') }), 'handler-failed', 'Error: outer · caused by Error: inner'],
    [Object.assign(new Error('gone'), { code: 'card-declined' }), 'card-declined', 'Error: gone'],
    [Object.assign(new Error('gone'), { code: 'ECONNRESET' }), 'handler-failed', 'Error: gone'],
  ])('says of case %# what it was', (thrown, reason, error) => {
    expect(describeFailure(thrown)).toEqual({ reason, error, retryable: true });
  });

  it('takes the error at its word', () => {
    const said = Object.assign(new Error('never'), { retryable: false });
    expect(describeFailure(said)).toMatchObject({ retryable: false });
    const later = new JobError('later', { code: 'target-failed', retryable: true, retryAfterMs: 250 });
    expect(describeFailure(later)).toEqual({
      reason: 'target-failed',
      error: 'JobError: later',
      retryable: true,
      retryAfterMs: 250,
    });
  });

  it('survives what bites, and keeps it short', () => {
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error('no');
        },
      },
    );
    expect(describeFailure(hostile).error).toBe('The handler threw something that cannot be read.');
    const round: { self?: unknown } = {};
    round.self = round;
    expect(describeFailure(round).reason).toBe('handler-failed');
    expect(describeFailure('x'.repeat(1_000_000)).error.length).toBeLessThan(5_000);
    expect(describeFailure('a\0b').error).not.toContain('\0');
  });
});
