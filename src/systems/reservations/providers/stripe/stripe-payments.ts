/**
 * Payments by Stripe, through its own SDK. The adapter translates and decides nothing.
 *
 *   Every POST carries our key as the last argument. In the params position the SDK would send it as a field of the
 *   body, under a random key of its own that protects nothing.
 *   A session lives at least 30 minutes at Stripe; we ask for 35, since clocks differ and requests take time.
 *   "Only open sessions can be expired" is an answer, not an error: the session is fetched and shown as it is.
 *   A key that remembers a 500 repeats it for a day, and whether it acted is unknown. Closing a session then uses a
 *   second key (closing twice is harmless); opening one looks for the session first; a refund says `refused`, and the
 *   ledger looks before it takes its next key.
 */
import type { Stripe } from 'stripe';
import { AppError } from '../../app-error.ts';
import type { CreateSessionRequest, PaymentPort, PaymentSession } from '../../payment-port.ts';
import { writePaymentMetadata } from '../payment-metadata.ts';
import { invalidWebhookError } from '../provider-error.ts';
import { readDispute } from '../read-dispute.ts';
import { parsePaymentEvent, readPaymentEvent } from '../read-payment-event.ts';
import { readRefund } from '../read-refund.ts';
import { defaultDelayedMethods, readSession, type WireSession } from '../read-session.ts';
import { checkSignedTime, signedAt, webhookBytesMax, webhookToleranceMs } from '../webhook-signature.ts';
import { loadStripe } from './load-stripe.ts';
import { stripeFailure, stripeFailureError } from './stripe-failure.ts';

export interface StripePaymentsOptions {
  /** `sk_live_…` or `rk_live_…` is real money; `sk_test_…` is not. */
  readonly secretKey: string;
  /** `whsec_…` of the endpoint; two while a secret is being replaced. 1 to 5. */
  readonly webhookSecrets: readonly string[];
  /** How far the webhook's time may be from ours, in both directions. 1 s to 1 h. @default 300000 */
  readonly toleranceMs?: number;
  /** How long one request may take. 1 s to 80 s. @default 20000 */
  readonly timeoutMs?: number;
  /** How often the SDK repeats a request by itself, under the same key. 0 to 5. @default 1 */
  readonly retries?: number;
  /** Offered beside cards when a session allows delayed payment. @default ['konbini'] */
  readonly delayedMethods?: readonly string[];
  /** Days until a konbini voucher lapses. 1 to 60. @default 3 */
  readonly voucherDays?: number;
  /**
   * Two databases that share an account need two of them: our ids, and with them our keys, begin at 1 in each.
   * Letters, digits and `-`, at most 40. @default 'kannuki'
   */
  readonly namespace?: string;
  /** Another address of the API, such as the fake of `kannuki/testing/providers`. */
  readonly api?: { readonly host: string; readonly port: number; readonly protocol: 'http' | 'https' };
}

/** The charge inside the payment inside the session: when the money was taken. */
const chargeInside = 'payment_intent.latest_charge';
const pageSize = 100;
/** The provider's own limit, in seconds. */
const longestSession = 24 * 3600;

export async function stripePayments(options: StripePaymentsOptions): Promise<PaymentPort> {
  const { namespace = 'kannuki', voucherDays = 3, delayedMethods = defaultDelayedMethods } = options;
  const { toleranceMs = webhookToleranceMs } = checkOptions(options);
  const StripeClient = await loadStripe();
  const stripe = new StripeClient(options.secretKey, {
    maxNetworkRetries: options.retries ?? 1,
    timeout: options.timeoutMs ?? 20_000,
    telemetry: false,
    ...(options.api ?? {}),
  });

  const sessionParams = (request: CreateSessionRequest): Stripe.Checkout.SessionCreateParams => {
    const metadata = writePaymentMetadata(namespace, { reservationId: request.reservationId });
    const methods = ['card', ...(request.delayedMethods ? delayedMethods : [])];
    return {
      mode: 'payment',
      client_reference_id: String(request.reservationId),
      customer_email: request.customerEmail,
      locale: request.locale,
      // Named one by one: the account's own settings could otherwise offer a method that is paid days later.
      allowed_payment_method_types: methods,
      ...(methods.includes('konbini')
        ? { payment_method_options: { konbini: { expires_after_days: voucherDays } } }
        : {}),
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: request.currency,
            unit_amount: request.amount,
            product_data: { name: request.title },
          },
        },
      ],
      success_url: request.successUrl,
      cancel_url: request.cancelUrl,
      expires_at: Math.ceil(request.expiresAtMs / 1000),
      metadata,
      // The session's metadata is not copied to its payment.
      payment_intent_data: { metadata },
    };
  };
  const read = (session: WireSession): PaymentSession => readSession(session, namespace, delayedMethods);
  const find = async (sessionId: string): Promise<PaymentSession | undefined> => {
    try {
      return read(await stripe.checkout.sessions.retrieve(sessionId, { expand: [chargeInside] }));
    } catch (error) {
      if (stripeFailure(error).kind === 'missing') return undefined;
      throw stripeFailureError(error, `read session ${sessionId}`);
    }
  };
  const keyed = (key: string): { readonly idempotencyKey: string } => ({ idempotencyKey: `${namespace}:${key}` });
  const create = async (request: CreateSessionRequest, key: string): Promise<PaymentSession> =>
    read(await stripe.checkout.sessions.create(sessionParams(request), keyed(key)));
  const expire = async (sessionId: string, key: string): Promise<PaymentSession> =>
    read(await stripe.checkout.sessions.expire(sessionId, { expand: [chargeInside] }, keyed(key)));
  const list = async (since: number, reservationId?: number): Promise<readonly PaymentSession[]> => {
    const sessions: PaymentSession[] = [];
    const expanded = { created: { gte: since }, limit: pageSize, expand: [`data.${chargeInside}`] };
    for await (const wire of stripe.checkout.sessions.list(expanded)) {
      const session = read(wire);
      if (session.reservationId === undefined) continue;
      if (reservationId === undefined || session.reservationId === reservationId) sessions.push(session);
    }
    return sessions.reverse();
  };
  /** Cash cannot be sent back to a shop's till: Stripe then asks the customer by mail. A card needs no instructions. */
  const needsInstructions = async (paymentIntentId: string): Promise<boolean> => {
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(paymentIntentId, {
      expand: ['latest_charge'],
    });
    const method = typeof charge === 'object' ? charge?.payment_method_details?.type : undefined;
    return method !== undefined && delayedMethods.includes(method);
  };
  /** A session lives a day at most, so what this request made is not older than a day before its end. */
  const findMade = async ({
    expiresAtMs,
    reservationId,
  }: CreateSessionRequest): Promise<PaymentSession | undefined> => {
    const expiresAt = Math.ceil(expiresAtMs / 1000);
    const sessions = await list(expiresAt - longestSession, reservationId);
    return sessions.find((session) => session.expiresAtMs === expiresAt * 1000);
  };

  return {
    name: 'stripe',
    livemode: /^[sr]k_live_/.test(options.secretKey),
    minimumSessionMs: 35 * 60_000,
    async createSession(request) {
      const key = request.idempotencyKey;
      try {
        return await create(request, key).catch(async (error: unknown) => {
          if (stripeFailure(error).kind !== 'remembered') throw error;
          return (await findMade(request)) ?? create(request, `${key}:again`);
        });
      } catch (error) {
        throw stripeFailureError(error, `open a session for reservation ${request.reservationId}`);
      }
    },
    getSession: find,
    async expireSession({ sessionId, idempotencyKey }) {
      const what = `expire session ${sessionId}`;
      try {
        return await expire(sessionId, idempotencyKey).catch((error: unknown) => {
          if (stripeFailure(error).kind !== 'remembered') throw error;
          return expire(sessionId, `${idempotencyKey}:again`);
        });
      } catch (error) {
        const failure = stripeFailure(error);
        if (failure.kind !== 'refused' || failure.code === 'idempotency_error') throw stripeFailureError(error, what);
        const session = await find(sessionId);
        // Refused, and still open: then it was refused for another reason.
        if (!session || session.status === 'open') throw stripeFailureError(error, what);
        return session;
      }
    },
    async listSessions({ sinceMs, reservationId }) {
      try {
        return await list(Math.floor(sinceMs / 1000), reservationId);
      } catch (error) {
        throw stripeFailureError(error, 'list sessions');
      }
    },
    async createRefund(request) {
      const { paymentIntentId, amount, ledgerId, reservationId, idempotencyKey } = request;
      try {
        const refund = await stripe.refunds.create(
          {
            payment_intent: paymentIntentId,
            amount,
            reason: 'requested_by_customer',
            ...((await needsInstructions(paymentIntentId)) ? { instructions_email: request.customerEmail } : {}),
            metadata: writePaymentMetadata(namespace, { reservationId, ledgerId }),
          },
          keyed(idempotencyKey),
        );
        return { kind: 'made', refund: readRefund(refund, namespace) };
      } catch (error) {
        const failure = stripeFailure(error);
        if (failure.kind === 'remembered') {
          return { kind: 'refused', code: 'remembered_failure', message: failure.message };
        }
        if (failure.kind === 'missing') return { kind: 'refused', code: 'resource_missing', message: failure.message };
        if (failure.kind !== 'refused' || failure.code === 'idempotency_error') {
          throw stripeFailureError(error, `refund payment ${paymentIntentId}`);
        }
        if (failure.code === 'charge_already_refunded') return { kind: 'already-refunded' };
        if (failure.code === 'charge_disputed' || failure.code === 'refund_disputed_payment')
          return { kind: 'disputed' };
        return { kind: 'refused', code: failure.code, message: failure.message };
      }
    },
    async listRefunds(paymentIntentId) {
      try {
        const refunds = [];
        for await (const refund of stripe.refunds.list({ payment_intent: paymentIntentId, limit: pageSize })) {
          refunds.push(readRefund(refund, namespace));
        }
        return refunds.reverse();
      } catch (error) {
        throw stripeFailureError(error, `list the refunds of payment ${paymentIntentId}`);
      }
    },
    async listDisputes(paymentIntentId) {
      try {
        const disputes = [];
        for await (const dispute of stripe.disputes.list({ payment_intent: paymentIntentId, limit: pageSize })) {
          disputes.push(readDispute(dispute));
        }
        return disputes.reverse();
      } catch (error) {
        throw stripeFailureError(error, `list the disputes of payment ${paymentIntentId}`);
      }
    },
    async verifyWebhook({ rawBody, signature, nowMs }) {
      if (rawBody.length > webhookBytesMax) throw invalidWebhookError('its body is too large');
      if (signature === undefined) throw invalidWebhookError('it is not signed');
      const signedAtMs = signedAt(signature);
      if (signedAtMs === undefined) throw invalidWebhookError('its signature has no time, or two');
      const event = parsePaymentEvent(
        verifyWithAny(options.webhookSecrets, (secret) =>
          // Never a tolerance of 0: the SDK takes it as "any age".
          stripe.webhooks.constructEvent(rawBody, signature, secret, Math.ceil(toleranceMs / 1000), undefined, nowMs),
        ),
      );
      // The SDK looks at the past only: a stamp of tomorrow would pass, and stay valid until then.
      const flaw = checkSignedTime(signedAtMs, { nowMs, toleranceMs });
      if (flaw) throw invalidWebhookError(`its signature is ${flaw}`);
      if (!event) throw invalidWebhookError('it is not an event');
      return readPaymentEvent(event, namespace);
    },
  };
}

function verifyWithAny(secrets: readonly string[], verify: (secret: string) => unknown): unknown {
  let failure: unknown;
  for (const secret of secrets) {
    try {
      return verify(secret);
    } catch (error) {
      failure = error;
    }
  }
  throw invalidWebhookError('its signature does not fit', failure);
}

function checkOptions(options: StripePaymentsOptions): StripePaymentsOptions {
  const { secretKey, webhookSecrets, toleranceMs = webhookToleranceMs, timeoutMs = 20_000, voucherDays = 3 } = options;
  const { namespace = 'kannuki' } = options;
  const refuse = (what: string): never => {
    throw new AppError(`stripePayments: ${what}.`, { code: 'INVALID_ARGUMENT' });
  };
  if (!/^[sr]k_(live|test)_/.test(secretKey))
    refuse('secretKey must begin with sk_live_, sk_test_, rk_live_ or rk_test_');
  if (!/^[A-Za-z0-9-]{1,40}$/.test(namespace)) refuse('namespace must be letters, digits and -, at most 40');
  if (webhookSecrets.length < 1 || webhookSecrets.length > 5) refuse('webhookSecrets must hold 1 to 5 secrets');
  if (webhookSecrets.some((secret) => secret.trim() === '' || secret !== secret.trim())) {
    refuse('a webhook secret is empty or has spaces around it');
  }
  if (!(toleranceMs >= 1_000 && toleranceMs <= 3_600_000)) refuse('toleranceMs must be between 1 s and 1 h');
  if (!(timeoutMs >= 1_000 && timeoutMs <= 80_000)) refuse('timeoutMs must be between 1 s and 80 s');
  if (!(Number.isInteger(voucherDays) && voucherDays >= 1 && voucherDays <= 60)) refuse('voucherDays must be 1 to 60');
  return options;
}
