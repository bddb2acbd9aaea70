/**
 * The change stream, for as long as one likes: a connection that ends or falls silent is opened anew, on the next
 * server if there are several, from where it ended. Nothing is missed: either every change comes, or a `reset`.
 */
import type { Clock, Random } from '../core/ports.ts';
import type { Change } from '../server/changes/change-topics.ts';
import { ClientError } from './client-error.ts';
import type { Sender } from './create-sender.ts';
import { readEvents, type SentEvent } from './read-events.ts';

export type ChangeEvent =
  /** Load everything anew: at the beginning, and when something may have been missed. */
  | { readonly kind: 'reset'; readonly place: string }
  /** `id` is `*` for very many. */
  | ({ readonly kind: 'change'; readonly place: string } & Change);

export interface FollowOptions {
  /** Where an earlier stream ended (`place`), of this or another program. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/** The server speaks every 15 s; after this much silence the connection is dead. */
const silenceMs = 45_000;
const returnMs = { least: 250, most: 10_000 };

export async function* followChanges(
  sender: Sender,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  { after, signal }: FollowOptions,
): AsyncGenerator<ChangeEvent> {
  let place = after ?? '';
  for (let failures = 0; !signal?.aborted; ) {
    const silent = new AbortController();
    let timer = clock.after(silenceMs, () => silent.abort());
    try {
      const response = await sender.send({
        method: 'GET',
        path: '/api/v1/stream',
        headers: { accept: 'text/event-stream', ...(place !== '' && { 'last-event-id': place }) },
        timeoutMs: 15_000,
        signal: signal ? AbortSignal.any([signal, silent.signal]) : silent.signal,
      });
      if (!response.body) return;
      for await (const sent of readEvents(response.body)) {
        timer.cancel();
        timer = clock.after(silenceMs, () => silent.abort());
        failures = 0;
        if (sent.id !== '') place = sent.id;
        const event = changeOf(sent);
        if (event) yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // A wrong token or path does not become right by asking again.
      if (error instanceof ClientError && !error.retryable && error.code !== 'unreachable') throw error;
    } finally {
      timer.cancel();
    }
    failures += 1;
    const longest = Math.min(returnMs.most, returnMs.least * 2 ** failures);
    await sleep(clock, returnMs.least + random.fraction() * (longest - returnMs.least), signal);
  }
}

function changeOf({ id: place, event, data }: SentEvent): ChangeEvent | undefined {
  if (event === 'reset') return { kind: 'reset', place };
  return event === 'change' ? { kind: 'change', place, ...(JSON.parse(data) as Change) } : undefined;
}

function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.after(ms, end);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}
