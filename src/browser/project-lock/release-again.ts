import type { RecordAnswer } from './record-mutex.ts';
import type { LeaseClaim } from './record-rules.ts';
import type { TabLock } from './tab-lock.ts';

/** Retries after 0.5, 1 and 2 s. */
const retryMs: readonly number[] = [500, 1000, 2000];

/** Goes on after a release that failed. Throws `release-failed` when it cannot be had. Loaded only then. */
export async function releaseAgain(
  { clock, keeper, fail, lockError }: TabLock,
  claim: LeaseClaim,
  force: boolean,
  first: RecordAnswer,
): Promise<RecordAnswer> {
  let answer = first;
  for (let attempt = 0; ; attempt++) {
    const { refusal, cause } = answer;
    if (!refusal || refusal === 'lease-stale') return answer;
    const delayMs = retryMs[attempt];
    const error = fail('release', lockError('release-failed', lockError(refusal, cause), !!delayMs));
    if (!delayMs) throw error;
    await new Promise<void>((done) => clock.after(delayMs, done));
    answer = await keeper.release(claim, force);
  }
}
