/** Shared and counted leases contend each for themselves: several may hold at once, so there is nothing to hand on. */
import { LeaseError } from '../../core/errors.ts';
import type { Share } from '../../core/ports.ts';
import type { NotAcquired } from '../not-acquired.ts';
import { sendAttempt } from './attempt.ts';
import type { Closing } from './closing.ts';
import { type Contention, contend } from './contention.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Won } from './local-line.ts';
import type { NoticeBoard } from './notice-board.ts';
import { storeHome } from './store-home.ts';
import { refusalOutcome, type TurnRequest } from './wait-for-turn.ts';

export interface SharedRequest extends TurnRequest {
  readonly board: NoticeBoard;
  readonly heartbeat: Heartbeat;
  readonly share: Share;
  readonly closing: Closing;
}

export async function acquireShared(request: SharedRequest): Promise<Won | NotAcquired> {
  const { context, board, heartbeat, key, share, times, once, waitMs, signal, closing } = request;
  const wanted = { key, share, times, once };
  const line = !once && context.store.capabilities.line === true;
  let contention: Contention | undefined;
  let ended: 'timeout' | 'aborted' | 'closed' | undefined;
  const stop = (why: typeof ended) => (): void => {
    ended ??= why;
    contention?.stop();
  };
  const onAbort = stop('aborted');
  const onClosed = stop('closed');
  const timer = waitMs === undefined || once ? undefined : context.clock.after(waitMs, stop('timeout'));
  signal?.addEventListener('abort', onAbort);
  closing.add(onClosed);
  contention = contend(context, board, wanted, await sendAttempt(context, wanted, context.newOwner(), line));
  if (ended) contention.stop();
  const result = await contention.result;
  timer?.cancel();
  signal?.removeEventListener('abort', onAbort);
  closing.remove(onClosed);

  if (result.kind === 'won') {
    const { grant, token, via } = result;
    heartbeat.add(grant);
    return { grant, token, via, home: storeHome(context, heartbeat) };
  }
  if (result.kind === 'failed') throw result.error;
  if (result.kind === 'refused') return refusalOutcome('held', result.reply);
  if (ended === 'closed')
    throw new LeaseError(`Waiting for "${key}" ended: these leases were closed.`, { code: 'closed', key });
  const failure = contention.lastError();
  if (ended === 'timeout' && failure !== undefined) throw failure;
  return refusalOutcome(ended ?? 'aborted', contention.lastRefusal());
}
