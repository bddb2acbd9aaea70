/**
 * From a request's JSON to events that may be stored. The envelope is right or everything is refused; an event that
 * is wrong is refused alone, by its number. Unknown fields are wrong: what nobody reads must not be kept.
 */
import { z } from 'zod';
import { phases } from '../../core/rollout/phase.ts';
import {
  errorCodes,
  eventNames,
  operations,
  readonlyReasons,
  strategies,
  type TelemetryEvent,
  telemetryLimits,
} from './telemetry-event.ts';

const id = z.string().regex(/^[A-Za-z0-9_-]{8,64}$/);
const time = z.number().finite().min(0).max(8.64e15);

const envelope = z.strictObject({
  id,
  session: id,
  phase: z.enum(phases),
  sentAtMs: time,
  events: z.array(z.unknown()).min(1).max(telemetryLimits.eventsPerBatch),
});

const event = z.strictObject({
  name: z.enum(eventNames),
  atMs: time,
  count: z.number().int().min(1).max(telemetryLimits.maxCount).optional(),
  strategy: z.enum(strategies).optional(),
  operation: z.enum(operations).optional(),
  reason: z.enum(readonlyReasons).optional(),
  code: z.enum(errorCodes).optional(),
  durationMs: z.number().min(0).max(telemetryLimits.maxDurationMs).optional(),
});

/** An event with its number in the batch and how long before the sending it happened. */
export interface NumberedEvent extends Omit<TelemetryEvent, 'atMs'> {
  readonly number: number;
  readonly ageMs: number;
}

export interface RefusedEvent {
  readonly number: number;
  /** Names the field, never repeats its content. */
  readonly reason: string;
}

export type ParsedBatch =
  | {
      readonly ok: true;
      readonly id: string;
      readonly session: string;
      readonly phase: z.infer<typeof envelope>['phase'];
      readonly events: readonly NumberedEvent[];
      readonly refused: readonly RefusedEvent[];
    }
  | { readonly ok: false; readonly reason: string };

export function parseBatch(body: unknown): ParsedBatch {
  const outer = envelope.safeParse(body);
  if (!outer.success) return { ok: false, reason: describe(outer.error) };
  const { sentAtMs, events, ...head } = outer.data;
  const accepted: NumberedEvent[] = [];
  const refused: RefusedEvent[] = [];
  events.forEach((candidate, number) => {
    const parsed = event.safeParse(candidate);
    if (!parsed.success) {
      refused.push({ number, reason: describe(parsed.error) });
      return;
    }
    const { atMs, ...rest } = parsed.data;
    // A clock that jumped between the event and the sending must not date it into the future, nor far into the past.
    const ageMs = Math.min(Math.max(sentAtMs - atMs, 0), telemetryLimits.maxAgeMs);
    accepted.push({ number, ageMs, ...withoutUndefined(rest) });
  });
  return { ok: true, ...head, events: accepted, refused };
}

type Optional<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Optional<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Optional<T>;
}

/** Where, and which rule: zod's own messages can repeat what was sent (names of unknown fields). */
function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return 'not understood';
  if (issue.code === 'unrecognized_keys') return 'has a field that is not known';
  const path = issue.path.join('.');
  return `${path === '' ? 'the whole' : path}: ${issue.code}`;
}
