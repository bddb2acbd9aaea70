/**
 * Brings events to their receiver as a payment provider does: signed, at least once, in no promised order, again until
 * it hears a 2xx. How late, how often and in which order is set by whoever tests the receiver.
 */
import type { Clock, Random, Timer } from '../../../../core/ports.ts';
import { signWebhook } from '../webhook-signature.ts';

export interface CourierSettings {
  /** From the event until its first delivery. @default 0 */
  readonly delayMs?: number;
  /** How many times each event is delivered although nothing failed. 1 to 10. @default 1 */
  readonly copies?: number;
  /** Of the events that wait at the same time. @default 'kept' */
  readonly order?: 'kept' | 'reversed' | 'shuffled';
  /** Nothing is delivered and nothing will be: the webhook that never comes. @default false */
  readonly isLost?: boolean;
  /** How far the sender's clock is ahead of ours, for the signature. @default 0 */
  readonly skewMs?: number;
}

export interface CourierOptions {
  /** Where events go; undefined = they are recorded only. */
  readonly url: string | undefined;
  readonly secret: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Sends one request. @default fetch */
  readonly send?: (request: Request) => Promise<Response>;
  readonly settings?: CourierSettings;
  /** How often an event is tried before it is given up. @default 12 */
  readonly attempts?: number;
}

export interface Delivery {
  readonly eventId: string;
  readonly type: string;
  readonly attempt: number;
  /** Undefined: no answer. */
  readonly status: number | undefined;
}

export interface WebhookCourier {
  /** Replaces settings; the others stay. What is on its way goes by the new ones. */
  configure(settings: CourierSettings): void;
  readonly settings: Required<CourierSettings>;
  take(event: { readonly id: string; readonly type: string }): void;
  /** The event as a signed request, for whoever delivers by hand. */
  pack(event: object, atMs?: number): { readonly rawBody: string; readonly signature: string };
  readonly deliveries: readonly Delivery[];
  /** Resolves when nothing waits and nothing is on its way. */
  settled(): Promise<void>;
  close(): void;
}

interface Parcel {
  readonly event: { readonly id: string; readonly type: string };
  readonly attempt: number;
}

const firstRetryMs = 1_000;
const longestRetryMs = 3_600_000;

export function webhookCourier(options: CourierOptions): WebhookCourier {
  const { url, secret, clock, random, send = (request) => fetch(request), attempts = 12 } = options;
  const initial: Required<CourierSettings> = { delayMs: 0, copies: 1, order: 'kept', isLost: false, skewMs: 0 };
  const timers = new Set<Timer>();
  const deliveries: Delivery[] = [];
  let settings = { ...initial, ...options.settings };
  let waiting: Parcel[] = [];
  let underWay = 0;
  let isClosed = false;
  let listeners: (() => void)[] = [];

  const later = (delayMs: number, run: () => void): void => {
    const timer = clock.after(
      delayMs,
      () => {
        timers.delete(timer);
        run();
        tellIfSettled();
      },
      { background: true },
    );
    timers.add(timer);
  };
  const tellIfSettled = (): void => {
    if (underWay > 0 || timers.size > 0) return;
    const told = listeners;
    listeners = [];
    for (const tell of told) tell();
  };
  const pack: WebhookCourier['pack'] = (event, atMs = clock.wallMs() + settings.skewMs) => {
    const rawBody = JSON.stringify(event);
    return { rawBody, signature: signWebhook({ rawBody, secret, atMs }) };
  };
  const deliver = async (parcel: Parcel, target: string): Promise<void> => {
    underWay++;
    let status: number | undefined;
    try {
      const { rawBody, signature } = pack(parcel.event);
      const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
      const response = await send(new Request(target, { method: 'POST', headers, body: rawBody }));
      status = response.status;
      await response.arrayBuffer();
    } catch {
      // No answer: the receiver may have it or not, so it is brought again.
    } finally {
      underWay--;
    }
    deliveries.push({ eventId: parcel.event.id, type: parcel.event.type, attempt: parcel.attempt, status });
    const isTaken = status !== undefined && status >= 200 && status < 300;
    if (!isTaken && parcel.attempt < attempts && !isClosed) {
      const delayMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (parcel.attempt - 1));
      later(delayMs, () => void deliver({ ...parcel, attempt: parcel.attempt + 1 }, target));
    }
    tellIfSettled();
  };
  const flush = async (target: string): Promise<void> => {
    underWay++;
    const parcels = arrange(waiting, settings.order, random);
    waiting = [];
    for (const parcel of settings.isLost ? [] : parcels) {
      if (isClosed) break;
      // Copies leave together, so that the receiver meets them at the same time; the next event waits for the answer.
      await Promise.all(Array.from({ length: settings.copies }, () => deliver(parcel, target)));
    }
    underWay--;
    tellIfSettled();
  };

  return {
    get settings() {
      return settings;
    },
    configure(changes) {
      settings = { ...settings, ...changes };
    },
    take(event) {
      if (isClosed || url === undefined) return;
      waiting.push({ event, attempt: 1 });
      // One timer for all that wait: reordering needs more than one parcel.
      if (waiting.length === 1) later(settings.delayMs, () => void flush(url));
    },
    pack,
    deliveries,
    settled() {
      return new Promise((resolve) => {
        listeners.push(resolve);
        tellIfSettled();
      });
    },
    close() {
      isClosed = true;
      for (const timer of timers) timer.cancel();
      timers.clear();
      tellIfSettled();
    },
  };
}

function arrange<T>(items: readonly T[], order: 'kept' | 'reversed' | 'shuffled', random: Random): readonly T[] {
  const arranged = [...items];
  if (order === 'reversed') return arranged.reverse();
  if (order === 'kept') return arranged;
  for (let index = arranged.length - 1; index > 0; index--) {
    const other = Math.floor(random.fraction() * (index + 1));
    const held = arranged[index] as T;
    arranged[index] = arranged[other] as T;
    arranged[other] = held;
  }
  return arranged;
}
