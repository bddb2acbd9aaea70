/**
 * A payment provider without a provider: the same port, its own hosted payment page, correctly signed webhooks. Good
 * for clicking through a whole booking offline, and for tests that want no HTTP between themselves and the money.
 */
import { platform } from '#platform';
import type { Clock, Random } from '../../../../core/ports.ts';
import type { PaymentPort } from '../../payment-port.ts';
import { writePaymentMetadata } from '../payment-metadata.ts';
import { invalidWebhookError, refusedProviderError, unavailableProviderError } from '../provider-error.ts';
import { readDispute } from '../read-dispute.ts';
import { parsePaymentEvent, readPaymentEvent } from '../read-payment-event.ts';
import { readRefund } from '../read-refund.ts';
import { readSession } from '../read-session.ts';
import { checkWebhookSignature, webhookToleranceMs } from '../webhook-signature.ts';
import type { BookAnswer } from './book/book-refusal.ts';
import type { BookSession } from './book/book-state.ts';
import { type PaymentBook, paymentBook } from './book/payment-book.ts';
import { checkoutPage } from './checkout-page.ts';
import { idempotencyKeys } from './idempotency-keys.ts';
import { sandboxFile } from './sandbox-file.ts';
import type { SandboxStorage } from './sandbox-memory.ts';
import { type CourierSettings, type WebhookCourier, webhookCourier } from './webhook-courier.ts';

export interface SandboxPaymentsOptions {
  /** Where `handle` is reached, such as `http://127.0.0.1:4010/sandbox`; the page of a session lies under it. */
  readonly baseUrl: string;
  /** Where events go. @default nowhere: they are recorded only */
  readonly webhookUrl?: string;
  /** @default a random one */
  readonly webhookSecret?: string;
  /** Sends a webhook, such as straight into the receiver of the same process. @default fetch */
  readonly send?: (request: Request) => Promise<Response>;
  readonly deliveries?: CourierSettings;
  /** Two installations that share a provider tell their objects apart by it. @default 'kannuki' */
  readonly namespace?: string;
  /** Days until a konbini voucher lapses. 1 to 60. @default 3 */
  readonly voucherDays?: number;
  /** For the times on the page. @default 'Asia/Tokyo' */
  readonly timeZone?: string;
  /** A file where sessions, payments and refunds outlive a restart. One process at a time. @default none: they do not */
  readonly file?: string;
  /** Another place where they outlive it; instead of `file`. */
  readonly storage?: SandboxStorage;
  /** Brings the events, instead of one made from `webhookUrl`, `send` and `deliveries`. */
  readonly courier?: WebhookCourier;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** `pay`, `fail` and `later` while the page is open; the others once a voucher was chosen. */
export type CheckoutButton = 'pay' | 'fail' | 'later' | 'voucher-pay' | 'voucher-lapse';

/** When the sandbox does not answer: before it acted, or after. */
export type SandboxOutage = 'before' | 'after';

export interface SandboxPayments extends PaymentPort {
  /** The pages. Answers 404 to what is not one of them. */
  handle(request: Request): Promise<Response>;
  /** A button of the payment page, for whoever shows a page of their own. */
  press(sessionId: string, button: CheckoutButton): BookAnswer<BookSession>;
  /** The provider's side: pay, decline, settle vouchers, plan refunds, open disputes, read events. */
  readonly book: PaymentBook;
  /** How events travel. */
  readonly courier: WebhookCourier;
  readonly webhookSecret: string;
  /** Writes down everything now, although nothing was answered. */
  remember(): void;
  /** The next calls get no answer. */
  failNext(calls: number, outage: SandboxOutage): void;
  close(): void;
}

const provider = 'The sandbox';
/** The real provider's 30 minutes and a margin for clocks that differ. */
const minimumSessionMs = 35 * 60_000;

export function sandboxPayments(options: SandboxPaymentsOptions): SandboxPayments {
  const { namespace = 'kannuki', voucherDays = 3, timeZone = 'Asia/Tokyo' } = options;
  const { clock = platform.clock, random = platform.random } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const webhookSecret = options.webhookSecret ?? `whsec_${random.hex(24)}`;
  const storage = options.storage ?? (options.file === undefined ? undefined : sandboxFile(options.file));
  const kept = storage?.read();
  const keys = idempotencyKeys<BookAnswer<unknown>>({ clock, remembered: kept?.keys ?? [] });
  const courier =
    options.courier ??
    webhookCourier({
      url: options.webhookUrl,
      secret: webhookSecret,
      clock,
      random,
      ...(options.send ? { send: options.send } : {}),
      ...(options.deliveries ? { settings: options.deliveries } : {}),
    });
  const book = paymentBook({
    clock,
    random,
    apiVersion: 'sandbox',
    pageUrl: (sessionId) => `${baseUrl}/checkout/${sessionId}`,
    onEvent: (event) => courier.take(event),
    ...(kept ? { state: kept.state } : {}),
  });
  const save = (): void => storage?.write({ state: book.state, keys: keys.list() });
  const page = checkoutPage({ book, timeZone });
  const pagePath = new RegExp(
    `^${escapePattern(new URL(baseUrl).pathname.replace(/\/$/, ''))}/checkout/(cs_test_[0-9a-f]+)$`,
  );
  let outages: SandboxOutage[] = [];

  /** One call of the provider: time passes first, then perhaps no answer comes. */
  const call = <T>(what: string, work: () => T): Promise<T> => {
    const outage = outages.shift();
    const noAnswer = (): Promise<T> =>
      Promise.reject(unavailableProviderError(provider, what, { why: 'an outage was asked for' }));
    if (outage === 'before') return noAnswer();
    try {
      book.sessions.tick();
      const result = work();
      save();
      return outage === 'after' ? noAnswer() : Promise.resolve(result);
    } catch (error) {
      return outage === 'after' ? noAnswer() : Promise.reject(error);
    }
  };
  /** An act under a key: done once, answered alike ever after. */
  const once = <T>(key: string, what: string, request: unknown, act: () => BookAnswer<T>): BookAnswer<T> => {
    const verdict = keys.begin(key, JSON.stringify([what, request]));
    if (verdict.kind === 'replay') return verdict.answer as BookAnswer<T>;
    if (verdict.kind !== 'new') {
      throw refusedProviderError(provider, what, {
        why: `the key ${key} belongs to another request.`,
        providerCode: 'idempotency_error',
      });
    }
    // Kept as it was said: a repeat hears the first answer, however old it is by then.
    const answer = structuredClone(act());
    if (!answer.ok && answer.refusal.isValidation) keys.abandon(key);
    else keys.finish(key, answer);
    return answer;
  };
  const insist = <T>(what: string, answer: BookAnswer<T>): T => {
    if (answer.ok) return answer.value;
    const { message, code } = answer.refusal;
    throw refusedProviderError(provider, what, { why: message, ...(code ? { providerCode: code } : {}) });
  };

  return {
    name: 'sandbox',
    livemode: false,
    minimumSessionMs,
    book,
    courier,
    webhookSecret,
    createSession: (request) =>
      call('open a payment page', () => {
        const metadata = writePaymentMetadata(namespace, { reservationId: request.reservationId });
        const answer = once(request.idempotencyKey, 'open a payment page', request, () =>
          book.sessions.open({
            amount: request.amount,
            currency: request.currency,
            title: request.title,
            metadata,
            intentMetadata: metadata,
            clientReferenceId: String(request.reservationId),
            customerEmail: request.customerEmail,
            locale: request.locale,
            successUrl: request.successUrl,
            cancelUrl: request.cancelUrl,
            expiresAt: Math.ceil(request.expiresAtMs / 1000),
            methods: request.delayedMethods ? ['card', 'konbini'] : ['card'],
            voucherDays,
          }),
        );
        return readSession(book.expand(insist('open a payment page', answer)), namespace);
      }),
    getSession: (sessionId) =>
      call('read a payment page', () => {
        const found = book.sessions.find(sessionId);
        return found.ok ? readSession(book.expand(found.value), namespace) : undefined;
      }),
    expireSession: ({ sessionId, idempotencyKey }) =>
      call('close a payment page', () => {
        once(idempotencyKey, 'close a payment page', sessionId, () => book.sessions.expire(sessionId));
        // Closed, or the customer was first: either way the answer is what it is now.
        return readSession(book.expand(insist('close a payment page', book.sessions.find(sessionId))), namespace);
      }),
    listSessions: ({ sinceMs, reservationId }) =>
      call('list payment pages', () =>
        [...book.state.sessions.values()]
          .filter((session) => session.created * 1000 >= Math.floor(sinceMs / 1000) * 1000)
          .map((session) => readSession(book.expand(session), namespace))
          .filter((session) => session.reservationId !== undefined)
          .filter((session) => reservationId === undefined || session.reservationId === reservationId),
      ),
    createRefund: (request) =>
      call('refund', () => {
        const { paymentIntentId, amount, ledgerId, reservationId } = request;
        // Looked up before the key is used, as the real adapter does.
        if (!book.state.intents.has(paymentIntentId)) {
          return { kind: 'refused', code: 'resource_missing', message: `No such payment: ${paymentIntentId}` };
        }
        const answer = once(request.idempotencyKey, 'refund', request, () =>
          book.refunds.make({
            paymentIntentId,
            amount,
            reason: 'requested_by_customer',
            metadata: writePaymentMetadata(namespace, { reservationId, ledgerId }),
          }),
        );
        if (answer.ok) return { kind: 'made', refund: readRefund(answer.value, namespace) };
        const { code = 'invalid_request_error', message } = answer.refusal;
        if (code === 'charge_already_refunded') return { kind: 'already-refunded' };
        if (code === 'charge_disputed') return { kind: 'disputed' };
        return { kind: 'refused', code, message };
      }),
    listRefunds: (paymentIntentId) =>
      call('list refunds', () =>
        book.refunds.ofPayment(paymentIntentId).map((refund) => readRefund(refund, namespace)),
      ),
    listDisputes: (paymentIntentId) =>
      call('list disputes', () => book.disputes.ofPayment(paymentIntentId).map(readDispute)),
    async verifyWebhook({ rawBody, signature, nowMs }) {
      const flaw = checkWebhookSignature({
        rawBody,
        signature,
        nowMs,
        secrets: [webhookSecret],
        toleranceMs: webhookToleranceMs,
      });
      if (flaw) throw invalidWebhookError(`its signature is ${flaw}`);
      const event = parsePaymentEvent(parseJson(rawBody));
      if (!event) throw invalidWebhookError('it is not an event');
      return readPaymentEvent(event, namespace);
    },
    async handle(request) {
      const sessionId = pagePath.exec(new URL(request.url).pathname)?.[1];
      if (sessionId === undefined) return new Response(null, { status: 404 });
      const response = await page(sessionId, request);
      save();
      return response;
    },
    press(sessionId, button) {
      const { sessions } = book;
      sessions.tick();
      const acts: Readonly<Record<CheckoutButton, () => BookAnswer<BookSession>>> = {
        pay: () => sessions.pay(sessionId),
        fail: () => sessions.decline(sessionId),
        later: () => sessions.payLater(sessionId),
        'voucher-pay': () => sessions.settleVoucher(sessionId, 'paid'),
        'voucher-lapse': () => sessions.settleVoucher(sessionId, 'failed'),
      };
      const answer = acts[button]();
      save();
      return answer;
    },
    remember: save,
    failNext(calls, outage) {
      outages = [...outages, ...Array.from({ length: calls }, () => outage)];
    },
    close() {
      courier.close();
      save();
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
