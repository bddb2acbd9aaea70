/**
 * The usual way in: the gate (the Web Lock) is free, then the record. Whatever does not go the usual way is the business
 * of `acquire-again.ts`, which is loaded only then and goes on from here, with the gate still in hand.
 */
import { requestGate } from './gate.ts';
import type { HoldOptions } from './holding.ts';
import { lockError } from './lock-error.ts';
import type { ProjectLockAcquireResult } from './project-lock.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { AcquireQuery } from './record-rules.ts';
import type { Gate, TabLock } from './tab-lock.ts';

/** Acquires, with a block of tokens for a session. */
export async function acquireLock(tab: TabLock, options: HoldOptions, block = 1): Promise<ProjectLockAcquireResult> {
  const { keeper, newId, ownerId } = tab;
  const { signal, ttlMillis = 25_000 } = options;
  let query: AcquireQuery | undefined;
  let gate: Gate;
  let answer: RecordAnswer | undefined;
  // Re-entry leaves the rightful holder alone.
  if (!tab.move('acquire')) throw tab.fail('acquire', lockError('lease-mismatch'));
  // The worker starts while we wait for the gate.
  keeper.resume();
  try {
    // A TTL out of bounds is not the usual way either.
    if (tab.locks && !signal?.aborted && ttlMillis >= 1000 && ttlMillis <= 86_400_000) {
      tab.emit({ type: 'lock:attempt', operation: 'acquire', strategy: 'web-lock', attempt: 1 });
      query = { leaseId: newId(), ownerId, strategy: 'web-lock', ttlMs: Math.round(ttlMillis), block };
      gate = await requestGate(tab, { ifAvailable: true });
      if (typeof gate === 'function') {
        const sentMs = tab.clock.monotonicMs();
        answer = await keeper.ask('acquire', query);
        const [record, refusal] = answer;
        if (record && !refusal && !signal?.aborted) return tab.hold(record, sentMs, options, gate);
      }
    }
    return (await tab.rare()).acquire(tab, options, block, query, gate, answer);
  } catch (error) {
    // What is needed now cannot be loaded.
    if (typeof gate === 'function') gate();
    const lastError = tab.fail('acquire', error as ProjectLockError);
    tab.degrade('refused', { reason: 'fallback-open-failed', lastError });
    throw error;
  }
}
