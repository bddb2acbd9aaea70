/**
 * Changes as server-sent events. `Last-Event-ID` (or the query `lastEventId`, for clients that cannot set a header)
 * goes on where another connection ended, on this server or another of the same database. The stream ends when the
 * server stops, when the caller's right has ended, and when the caller is gone.
 */
import type { Call } from '../call.ts';
import { createUnreadMessages } from '../changes/unread-messages.ts';
import { httpLimits } from '../http-limits.ts';
import { ProblemError } from '../problem.ts';
import { readQuery } from '../read-request.ts';
import { streamQuery } from '../stream-query.ts';

/** How soon a browser comes back; the rest of the crowd comes at other moments. */
const returnMs = { least: 500, spread: 1_500 };

export async function streamChanges(call: Call): Promise<Response> {
  const { request, services } = call;
  const { stopping, random } = services;
  const { changes } = services.systems;
  if (!changes) throw new Error('The stream is served without changes.');
  const { lastEventId } = readQuery(call, streamQuery);
  if (stopping.aborted) throw comeAgain('stopping', 'The server is about to stop; come again.');
  if (changes.size >= httpLimits.streamsMax) {
    throw comeAgain('too-many-streams', `${httpLimits.streamsMax} clients listen already; come again later.`);
  }
  const unread = createUnreadMessages(httpLimits.unreadBytesMax);
  const after = request.headers.get('last-event-id') ?? lastEventId;
  const place = await changes.join((message) => {
    unread.add(message);
    if (message.kind === 'alive') void endIfForbidden();
  }, after);
  const end = (): void => {
    place.leave();
    unread.close();
    for (const signal of [stopping, request.signal]) signal.removeEventListener('abort', end);
  };
  const endIfForbidden = async (): Promise<void> => {
    if (!(await call.stillMay())) end();
  };
  for (const signal of [stopping, request.signal]) signal.addEventListener('abort', end);
  if (stopping.aborted || request.signal.aborted) end();
  const retryMs = Math.round(returnMs.least + random.fraction() * returnMs.spread);
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(new TextEncoder().encode(`retry: ${retryMs}\n\n`)),
      async pull(controller) {
        const piece = await unread.take();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no', 'cache-control': 'no-store' },
  });
}

function comeAgain(code: 'stopping' | 'too-many-streams', detail: string): ProblemError {
  return new ProblemError({ status: 503, code, detail, headers: { 'retry-after': '2' } });
}
