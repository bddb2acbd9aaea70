/**
 * A payment provider on loopback that the real `stripe` SDK talks to: it keeps state, remembers idempotency keys for a
 * day of its clock, replays what it answered, refuses a key with another request, and breaks where a test wants it to.
 */
import { platform } from '#platform';
import type { Clock, Random } from '../../core/ports.ts';
import type { BookRefusal } from '../../systems/reservations/providers/sandbox/book/book-refusal.ts';
import { type PaymentBook, paymentBook } from '../../systems/reservations/providers/sandbox/book/payment-book.ts';
import { idempotencyKeys } from '../../systems/reservations/providers/sandbox/idempotency-keys.ts';
import {
  type CourierSettings,
  type WebhookCourier,
  webhookCourier,
} from '../../systems/reservations/providers/sandbox/webhook-courier.ts';
import { type LoopbackAnswer, type LoopbackRequest, loopbackServer } from './loopback-server.ts';
import { findPaymentRoute, unknownRoute } from './payment-routes.ts';
import { type FaultPoint, type ProviderFaults, providerFaults } from './provider-faults.ts';

export interface FakePaymentsOptions {
  /** The provider's clock: session ends, keys forgotten after 24 h, signatures. @default the real one */
  readonly clock?: Clock;
  readonly random?: Random;
  /** Where events are delivered. @default nowhere: they are recorded only */
  readonly webhookUrl?: string;
  readonly webhookSecret?: string;
  readonly deliveries?: CourierSettings;
}

/** A request as the provider saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | undefined;
  readonly apiVersion: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly atMs: number;
  /** Undefined: it got no answer. */
  readonly status: number | undefined;
  /** The answer was given before, under the same key. */
  readonly isReplay: boolean;
}

export interface FakePayments {
  readonly host: string;
  readonly port: number;
  /** To spread into `stripePayments`. */
  readonly stripeOptions: {
    readonly secretKey: string;
    readonly webhookSecrets: readonly string[];
    readonly api: { readonly host: string; readonly port: number; readonly protocol: 'http' };
  };
  /** The provider's side: pay, decline, settle vouchers, plan refunds, open disputes, read events. */
  readonly book: PaymentBook;
  readonly faults: ProviderFaults;
  readonly requests: readonly SeenRequest[];
  readonly courier: WebhookCourier;
  close(): Promise<void>;
}

interface KeptAnswer {
  readonly status: number;
  readonly body: unknown;
}

const host = '127.0.0.1';

export async function startFakePayments(options: FakePaymentsOptions = {}): Promise<FakePayments> {
  const { clock = platform.clock, random = platform.random } = options;
  const secret = options.webhookSecret ?? `whsec_${random.hex(24)}`;
  const faults = providerFaults();
  const keys = idempotencyKeys<KeptAnswer>({ clock });
  const requests: SeenRequest[] = [];
  const courier = webhookCourier({
    url: options.webhookUrl,
    secret,
    clock,
    random,
    ...(options.deliveries ? { settings: options.deliveries } : {}),
  });
  const book = paymentBook({
    clock,
    random,
    apiVersion: '2026-10-28.endive',
    pageUrl: (sessionId) => `https://checkout.invalid/c/pay/${sessionId}`,
    onEvent: (event) => courier.take(event),
  });

  const work = ({ method, path, query, body }: LoopbackRequest): KeptAnswer & { readonly isKept: boolean } => {
    const found = findPaymentRoute(method, path);
    const params = method === 'GET' ? query : new URLSearchParams(body);
    const answer = found ? found.route.answer({ book, params, id: found.id }) : unknownRoute(method, path);
    // Cloned: what was answered does not change when the object does.
    if (answer.ok) return { status: 200, body: structuredClone(answer.value), isKept: true };
    return { ...refusalBody(answer.refusal), isKept: !answer.refusal.isValidation };
  };
  const execute = async (request: LoopbackRequest, fault: FaultPoint | undefined): Promise<Outcome> => {
    const key = request.method === 'POST' ? request.headers['idempotency-key'] : undefined;
    if (key !== undefined) {
      const verdict = keys.begin(key, `${request.path}\n${request.body}`);
      if (verdict.kind === 'replay') return { ...verdict.answer, isReplay: true };
      if (verdict.kind === 'mismatch') return { ...mismatch(key), isReplay: false };
      if (verdict.kind === 'in-use') return { ...inUse(key), isReplay: false };
    }
    if (fault === 'hang-before') await faults.hang();
    book.sessions.tick();
    const done = fault === 'error' ? undefined : work(request);
    const { status, body, isKept } = done && fault !== 'error-after' ? done : { ...brokenAnswer, isKept: true };
    if (key !== undefined) {
      if (isKept) keys.finish(key, { status, body });
      else keys.abandon(key);
    }
    return { status, body, isReplay: false };
  };
  const answer = async (request: LoopbackRequest): Promise<LoopbackAnswer> => {
    const atMs = clock.wallMs();
    const fault = faults.take(request);
    const seen = (status: number | undefined, isReplay: boolean): void => {
      requests.push({
        method: request.method,
        path: request.path,
        idempotencyKey: request.headers['idempotency-key'],
        apiVersion: request.headers['stripe-version'],
        params: Object.fromEntries(request.method === 'GET' ? request.query : new URLSearchParams(request.body)),
        atMs,
        status,
        isReplay,
      });
    };
    if (fault === 'drop-before') {
      seen(undefined, false);
      return { kind: 'drop' };
    }
    const outcome = await execution(request, fault);
    const { isReplay } = outcome;
    if (fault === 'drop-after' || fault === 'hang-after') {
      seen(undefined, isReplay);
      return { kind: fault === 'drop-after' ? 'drop' : 'hang' };
    }
    seen(outcome.status, isReplay);
    const headers = {
      'request-id': `req_${random.hex(7)}`,
      ...(isReplay ? { 'idempotent-replayed': 'true' } : {}),
      // A repeat would only hear the remembered failure again.
      ...(outcome.status === 500 ? { 'stripe-should-retry': 'false' } : {}),
    };
    return { kind: 'answer', status: outcome.status, headers, body: outcome.body };
  };
  const execution = (request: LoopbackRequest, fault: FaultPoint | undefined): Promise<Outcome> => {
    if (!/^Bearer sk_test_\w+$/.test(request.headers.authorization ?? '')) return Promise.resolve(unauthorized);
    return fault === 'conflict' ? Promise.resolve(locked) : execute(request, fault);
  };
  const server = await loopbackServer(answer);

  return {
    host,
    port: server.port,
    stripeOptions: {
      secretKey: 'sk_test_fake',
      webhookSecrets: [secret],
      api: { host, port: server.port, protocol: 'http' },
    },
    book,
    faults,
    requests,
    courier,
    async close() {
      courier.close();
      faults.releaseHung();
      await server.close();
    },
  };
}

interface Outcome extends KeptAnswer {
  readonly isReplay: boolean;
}

const brokenAnswer: KeptAnswer = {
  status: 500,
  body: { error: { type: 'api_error', message: 'An unknown error occurred' } },
};

const unauthorized: Outcome = {
  status: 401,
  body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } },
  isReplay: false,
};

const locked: Outcome = {
  status: 409,
  body: {
    error: {
      type: 'invalid_request_error',
      code: 'lock_timeout',
      message: 'This object cannot be accessed right now because another API request is accessing it.',
    },
  },
  isReplay: false,
};

function refusalBody({ status, type, code, param, message }: BookRefusal): KeptAnswer {
  return { status, body: { error: { type, code, param, message } } };
}

function mismatch(key: string): KeptAnswer {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}'.`;
  return { status: 400, body: { error: { type: 'idempotency_error', message } } };
}

function inUse(key: string): KeptAnswer {
  const message = `There is currently another in-progress request using this key: '${key}'.`;
  return { status: 409, body: { error: { type: 'idempotency_error', code: 'idempotency_key_in_use', message } } };
}
