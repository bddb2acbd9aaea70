/**
 * A span for each time a lease is held: from its grant to its end, with the fencing token, how long it was waited for and
 * how it ended. Nothing is changed in how leases work: it listens to their events.
 */
import { type Span, SpanStatusCode } from '@opentelemetry/api';
import type { LeaseEvent } from '../core/events.ts';
import type { Leases } from '../engine/lease-keeper.ts';
import { tracer } from './tracer.ts';

/** Returns how to stop. Spans that are open then are left to their end. */
export function traceLeases(leases: Pick<Leases, 'onEvent'>): () => void {
  const held = new Map<string, Span>();
  const end = (event: LeaseEvent & { readonly key: string; readonly token: number }, outcome: string): void => {
    const id = `${event.token} ${event.key}`;
    const span = held.get(id);
    if (!span) return;
    held.delete(id);
    span.setAttribute('kannuki.lease.outcome', outcome);
    if (outcome !== 'released') span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
    span.end();
  };
  return leases.onEvent((event) => {
    switch (event.type) {
      case 'acquired': {
        const { key, token, waitedMs } = event;
        const attributes = {
          'kannuki.lease.key': key,
          'kannuki.lease.token': token,
          'kannuki.lease.waited_ms': waitedMs,
        };
        const span = tracer()?.startSpan('kannuki lease hold', { attributes });
        if (span) held.set(`${event.token} ${event.key}`, span);
        return;
      }
      case 'released':
        return end(event, 'released');
      case 'release-failed':
      case 'lost':
        return end(event, event.type);
    }
  });
}
