/**
 * The usual way in: the gate (the Web Lock) is free, then the record. Whatever does not go the usual way is the business
 * of `acquire-again.ts`, which is loaded only then and goes on from here, with the gate still in hand.
 */
import { requestGate } from './gate.ts';
import type { HoldOptions } from './holding.ts';
import { lockError } from './lock-error.ts';
import type { ProjectLockAcquireResult } from './project-lock.ts';
import type { ProjectLockStrategy } from './project-lock-lease.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { AcquireQuery } from './record-rules.ts';
import type { Gate, TabLock } from './tab-lock.ts';

/** Acquires, with a block of tokens for a session. */
export async function acquireLock(tab: TabLock, options: HoldOptions, block = 1): Promise<ProjectLockAcquireResult> {
  const { keeper } = tab;
  const { signal } = options;
  let query: AcquireQuery | undefined;
  let gate: Gate;
  let answer: RecordAnswer | undefined;
  // Re-entry leaves the rightful holder alone.
  if (!tab.move('acquire')) throw tab.fail('acquire', lockError('lease-mismatch'));
  // The worker starts while we wait for the gate.
  keeper.resume();
  try {
    if (tab.locks && !signal?.aborted) {
      tab.emit({ type: 'lock:attempt', operation: 'acquire', strategy: 'web-lock', attempt: 1 });
      query = acquireQuery(tab, 'web-lock', options.ttlMillis, block);
      gate = await requestGate(tab, { ifAvailable: true });
      if (typeof gate === 'function') {
        const sentMs = tab.clock.monotonicMs();
        answer = await keeper.ask('acquire', query);
        const [record, refusal] = answer;
        if (record && !refusal && !signal?.aborted) return tab.hold(record, sentMs, options, gate);
      }
    }
    return (await tab.rare()).acquire(tab, options, block, query, gate, answer);
  } catch (cause) {
    // A TTL out of bounds, or what is needed now cannot be loaded.
    if (typeof gate === 'function') gate();
    const lastError = tab.fail('acquire', lockError('fallback-open-failed', cause));
    tab.degrade('refused', { reason: 'fallback-open-failed', lastError });
    throw lastError;
  }
}

/** A query for the record. */
export function acquireQuery(
  { newId, ownerId }: TabLock,
  strategy: ProjectLockStrategy,
  ttlMs = 25_000,
  block = 1,
): AcquireQuery {
  // No lease outlives a day by itself.
  if (!(ttlMs >= 1000 && ttlMs <= 86_400_000)) throw new RangeError(`TTL ${ttlMs} ms: not 1 s to 1 day.`);
  // The record keeps whole milliseconds.
  return { leaseId: newId(), ownerId, strategy, ttlMs: Math.round(ttlMs), block };
}
