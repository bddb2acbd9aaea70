/** What the heartbeat of a claim tells the handler, and what it leaves behind; with a store: claim-heartbeat.test.ts. */
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../core/ports.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { claimHeartbeat } from './claim-heartbeat.ts';

function setup(signal?: AbortSignal) {
  const fake = fakeClock();
  const background: (boolean | undefined)[] = [];
  const clock: Clock = {
    ...fake,
    after(ms, work, options) {
      background.push(options?.background);
      return fake.after(ms, work, options);
    },
  };
  const answers: boolean[] = [];
  let sent = 0;
  const renew = async (): Promise<boolean> => {
    sent += 1;
    return answers.shift() ?? true;
  };
  const heartbeat = claimHeartbeat({ clock, key: 'k', ttlMs: 1_000, sentMs: fake.monotonicMs(), renew, signal });
  return { clock: fake, heartbeat, answers, background, sent: () => sent };
}

describe('the heartbeat of a claim', () => {
  it('keeps no process alive', async () => {
    const { clock, background } = setup();
    await clock.advance(600);
    expect(background).toEqual([true, true, true]);
  });

  it('a renewal that is refused ends the claim once, and nothing is sent after it', async () => {
    const { clock, heartbeat, answers, sent } = setup();
    let aborts = 0;
    heartbeat.signal.addEventListener('abort', () => aborts++);
    answers.push(true, false, false);
    await clock.advance(5_000);
    expect([aborts, heartbeat.isLost(), sent()]).toEqual([1, true, 2]);
    expect(heartbeat.signal.reason).toMatchObject({ code: 'lost', retryable: true, key: 'k' });
  });

  it('while a completion is under way a refused renewal is no news, and afterwards it is', async () => {
    const { clock, heartbeat, answers } = setup();
    heartbeat.pause();
    answers.push(false);
    await clock.advance(300);
    expect(heartbeat.isLost()).toBe(false);
    heartbeat.resume();
    answers.push(false);
    await clock.advance(250);
    expect(heartbeat.isLost()).toBe(true);
  });

  it('once stopped sends nothing, and an answer that comes late ends nothing', async () => {
    const { clock, heartbeat, answers, sent } = setup();
    answers.push(false);
    const moved = clock.advance(250);
    heartbeat.stop();
    await moved;
    await clock.advance(5_000);
    expect(heartbeat.isLost()).toBe(false);
    expect(sent()).toBeLessThanOrEqual(1);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('passes the caller’s abort on, also one from before, and forgets the caller when it stops', () => {
    const early = setup(AbortSignal.abort('early'));
    expect(early.heartbeat.signal.reason).toBe('early');
    const controller = new AbortController();
    const { heartbeat } = setup(controller.signal);
    expect(heartbeat.signal.aborted).toBe(false);
    controller.abort('now');
    expect(heartbeat.signal.reason).toBe('now');
    expect(heartbeat.isLost()).toBe(false);
    const later = new AbortController();
    const stopped = setup(later.signal);
    stopped.heartbeat.stop();
    later.abort('late');
    expect(stopped.heartbeat.signal.aborted).toBe(false);
  });
});
