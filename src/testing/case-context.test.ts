import { describe, expect, it } from 'vitest';
import { LeaseError } from '../core/errors.ts';
import { assertBetween, assertEqual, assertGranted, assertLeaseError, assertRefused } from './case-assertions.ts';
import { eventually, newContender, onTime, within } from './case-context.ts';
import { fakeClock } from './fake-clock.ts';

describe('what cases are made of', () => {
  it('assertions say what was expected and what came', async () => {
    expect(() => assertEqual([1], [2], 'the list')).toThrow('the list: expected [2], got [1]');
    expect(() => assertBetween(Number.NaN, 0, 1, 'the time')).toThrow('the time');
    expect(() => assertGranted({ granted: false, token: 1, inLine: false }, 'it')).toThrow('should be granted');
    expect(() => assertRefused({ granted: true, token: 1, lastToken: 1 }, 'it')).toThrow('should be refused');
    await expect(assertLeaseError(Promise.resolve(1), 'busy', 'it')).rejects.toThrow(
      'should throw a LeaseError (busy)',
    );
    const lost = Promise.reject(new LeaseError('gone', { code: 'lost' }));
    await expect(assertLeaseError(lost, 'busy', 'it')).rejects.toThrow('expected code busy, got lost');
    await expect(assertLeaseError(Promise.reject(new TypeError('bug')), 'busy', 'it')).rejects.toThrow(TypeError);
  });

  it('every contender is a process of its own with new grant ids', () => {
    const [a, b] = [newContender('x'), newContender('x')];
    expect(a.process).not.toBe(b.process);
    expect([a.newOwner(), a.newOwner()]).toEqual([`${a.process}.1@x`, `${a.process}.2@x`]);
  });

  it('eventually asks until there is an answer, within its time', async () => {
    const clock = fakeClock();
    let asked = 0;
    const answer = eventually(clock, 1_000, 'the third', async () => (++asked === 3 ? 'yes' : undefined));
    await clock.advance(100);
    expect(await answer).toBe('yes');
    const never = eventually(clock, 100, 'nothing', async () => undefined).catch((error: Error) => error.message);
    await clock.advance(200);
    expect(await never).toBe('nothing did not happen within 100 ms');
  });

  it('within gives up on what does not come', async () => {
    const clock = fakeClock();
    expect(await within(clock, 100, 'it', Promise.resolve(1))).toBe(1);
    const never = within(clock, 100, 'it', new Promise(() => {})).catch((error: Error) => error.message);
    await clock.advance(100);
    expect(await never).toBe('it did not come within 100 ms');
    expect(clock.pendingTimers()).toBe(0);
  });

  it('onTime repeats only what failed while the machine was late, and not for ever', async () => {
    const late = { ...fakeClock(), monotonicMs: () => (time += 100) };
    let time = 0;
    let attempts = 0;
    const failing = async (): Promise<void> => {
      attempts += 1;
      throw new Error('too late');
    };
    await expect(onTime(late, 50, failing)).rejects.toThrow('too late');
    expect(attempts).toBe(5);
    attempts = 0;
    await expect(onTime(fakeClock(), 50, failing)).rejects.toThrow('too late');
    expect(attempts).toBe(1);
    await onTime(fakeClock(), 50, async () => {});
    attempts = 0;
    const slowStore = onTime(fakeClock(), 50, async (took) => {
      took(51);
      await failing();
    });
    await expect(slowStore).rejects.toThrow('too late');
    expect(attempts).toBe(5);
  });
});
