/**
 * The providers of bookings by the environment: STRIPE_*, SMTP_*, SHOTSTACK_* switch on the real ones; where there are
 * none, the sandbox. Half a configuration stops the start with one sentence.
 */
import type { Platform, SqlDatabase } from '../core/ports.ts';
import { databaseMailbox, ensureSecret, type Mailbox, type SharedSandbox, sharedSandbox } from '../server/index.ts';
import type { MailPort, PaymentPort, RenderPort } from '../systems/reservations/index.ts';
import { type SandboxRender, sandboxRender } from '../systems/reservations/providers/sandbox/index.ts';
import { shotstackRender } from '../systems/reservations/providers/shotstack/index.ts';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { isLoopback } from './is-loopback.ts';

export interface BookingProviders {
  readonly payments: PaymentPort;
  readonly mail: MailPort;
  readonly render: RenderPort;
  /** Those of the three that are sandboxes. */
  readonly sandbox: {
    readonly payments?: SharedSandbox;
    readonly mail?: Mailbox;
    readonly render?: SandboxRender;
  };
}

export interface BookingProviderOptions {
  readonly database: SqlDatabase;
  readonly platform: Platform;
  /** Where this server is reached, without a slash at the end. */
  readonly publicUrl: string;
  readonly renderSecret: string;
  /** What the sandboxes send, straight into this process. */
  readonly onWebhook: (request: Request) => Promise<Response>;
  readonly onRenderCallback: (request: Request) => Promise<Response>;
}

type Context = Pick<CliContext, 'env' | 'messages'>;

export async function openBookingProviders(
  context: Context,
  options: BookingProviderOptions,
): Promise<BookingProviders> {
  const { database, platform, publicUrl } = options;
  const { clock, random } = platform;
  const realPayments = await stripeOf(context);
  const realMail = await smtpOf(context);
  const realRender = shotstackOf(context, options);
  const sandbox = {
    ...(!realPayments && {
      payments: sharedSandbox({
        database,
        webhookSecret: await ensureSecret(database, random, 'sandbox-webhook'),
        publicUrl,
        send: options.onWebhook,
        clock,
        random,
      }),
    }),
    ...(!realMail && { mail: databaseMailbox({ database }) }),
    ...(!realRender && {
      render: sandboxRender({
        callbackUrl: `${publicUrl}/webhooks/shotstack/sandbox`,
        send: options.onRenderCallback,
        clock,
        random,
      }),
    }),
  };
  const payments = realPayments ?? sandbox.payments;
  const mail = realMail ?? sandbox.mail;
  const render = realRender ?? sandbox.render;
  if (!payments || !mail || !render) throw new Error('A provider of bookings is neither real nor a sandbox.');
  return { payments, mail, render, sandbox };
}

async function stripeOf({ env, messages }: Context): Promise<PaymentPort | undefined> {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: secrets } = env;
  if (!bothOrNone(messages, ['STRIPE_SECRET_KEY', secretKey], ['STRIPE_WEBHOOK_SECRET', secrets])) return undefined;
  const { stripePayments } = await import('../systems/reservations/providers/stripe/index.ts');
  const api = env.STRIPE_API_URL ? new URL(env.STRIPE_API_URL) : undefined;
  const protocol = api?.protocol === 'http:' ? 'http' : 'https';
  return stripePayments({
    secretKey: secretKey ?? '',
    webhookSecrets: (secrets ?? '').split(',').map((secret) => secret.trim()),
    ...(api && { api: { host: api.hostname, port: Number(api.port || (protocol === 'http' ? 80 : 443)), protocol } }),
  });
}

async function smtpOf({ env, messages }: Context): Promise<MailPort | undefined> {
  const { SMTP_URL, SMTP_FROM: from } = env;
  if (!bothOrNone(messages, ['SMTP_URL', SMTP_URL], ['SMTP_FROM', from])) return undefined;
  const url = URL.canParse(SMTP_URL ?? '') ? new URL(SMTP_URL ?? '') : undefined;
  if (url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:') {
    throw new CliError(messages.badUrl('SMTP_URL', 'smtp://user:password@host:587'), exitCodes.usage);
  }
  const { smtpMail } = await import('../systems/reservations/providers/smtp/index.ts');
  return smtpMail({
    host: url.hostname,
    from: from ?? '',
    ...(url.port && { port: Number(url.port) }),
    ...(url.username && { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }),
    // In the clear only to this very machine.
    tls: url.protocol === 'smtps:' ? 'implicit' : isLoopback(url.hostname) ? 'none' : 'starttls',
  });
}

function shotstackOf(
  { env }: Context,
  { publicUrl, renderSecret, platform }: BookingProviderOptions,
): RenderPort | undefined {
  const { SHOTSTACK_API_KEY: apiKey, SHOTSTACK_URL: baseUrl, SHOTSTACK_STAGE: stage } = env;
  if (!apiKey) return undefined;
  return shotstackRender({
    apiKey,
    clock: platform.clock,
    ...(baseUrl && { baseUrl }),
    ...(stage === 'stage' && { stage: 'stage' }),
    // Without an address that others reach, the status is asked for instead.
    ...(env.KANNUKI_PUBLIC_URL && { callbackUrl: `${publicUrl}/webhooks/shotstack/${renderSecret}` }),
  });
}

/** True: both are set. False: none is. */
function bothOrNone(
  messages: CliContext['messages'],
  first: readonly [string, string | undefined],
  second: readonly [string, string | undefined],
): boolean {
  if (Boolean(first[1]) === Boolean(second[1])) return Boolean(first[1]);
  const [given, missing] = first[1] ? [first, second] : [second, first];
  throw new CliError(messages.halfConfigured(given[0], missing[0]), exitCodes.usage);
}
