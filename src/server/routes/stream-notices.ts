/**
 * Notices for the grant ids of one process, as lines of JSON: `ready` once none can be missed any more, then each
 * notice, and `alive` in between. The stream ends when notices may have been missed or the server stops; the reader
 * then opens it anew. Nothing is kept for a reader that is away: it asks the store again, as after any lost notice.
 */
import type { Subscription } from '../../core/ports.ts';
import type { Call } from '../call.ts';
import { type NoticeLine, noticesQuery } from '../contract.ts';
import { httpLimits } from '../http-limits.ts';
import { ProblemError } from '../problem.ts';
import { readQuery } from '../read-request.ts';
import { createWakeUp } from '../wake-up.ts';

/** Lines a slow reader may leave unread before it is cut off. */
const unreadMax = 1_000;

export async function streamNotices(call: Call): Promise<Response> {
  const { store, clock, stopping, countWait, logger } = call.services;
  const { process } = readQuery(call, noticesQuery);
  if (store.capabilities.line !== true) {
    throw new ProblemError({ status: 501, code: 'unsupported', detail: `${store.capabilities.line.no} Poll instead.` });
  }
  const wait = countWait();
  const encoder = new TextEncoder();
  let push: (line: NoticeLine) => void = () => {};
  let subscription: Subscription;
  try {
    subscription = await store.subscribe(process, (notice) => push(notice));
  } catch (error) {
    wait.done();
    throw error;
  }
  const ended = new AbortController();
  const wakeUp = createWakeUp(clock, [stopping, call.request.signal, ended.signal]);
  const isOver = (): boolean =>
    ended.signal.aborted || stopping.aborted || call.request.signal.aborted || !subscription.isLive();

  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        push = (line) => {
          if (ended.signal.aborted) return;
          if ((controller.desiredSize ?? 0) < 0) ended.abort();
          else controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
        };
        push({ kind: 'ready' });
        const beat = async (): Promise<void> => {
          while (!isOver()) {
            await wakeUp.within(httpLimits.heartbeatMs);
            if (!isOver()) push({ kind: 'alive' });
          }
        };
        void beat().finally(async () => {
          ended.abort();
          wakeUp.close();
          wait.done();
          closeQuietly(controller);
          await subscription
            .close()
            .catch((cause: unknown) => logger.warn('notices did not close', { process, cause }));
        });
      },
      cancel() {
        ended.abort();
      },
    },
    { highWaterMark: unreadMax },
  );
  return new Response(stream, { headers: { 'content-type': 'application/x-ndjson' } });
}

/** A cancelled stream is closed already and says so by throwing. */
function closeQuietly(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // The reader was first.
  }
}
