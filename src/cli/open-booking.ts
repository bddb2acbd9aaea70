/** Bookings as `serve` runs them: effects and clockwork are jobs, alerts go out as jobs, one per channel. */
import type { Logger, Platform, SqlDatabase } from '../core/ports.ts';
import {
  type BookingConfig,
  type BookingServices,
  bookingDefaults,
  createCustomers,
  ensureSecret,
} from '../server/index.ts';
import { type Jobs, jobsEffectQueue } from '../systems/jobs/index.ts';
import {
  AppError,
  createReservations,
  type PeriodicJob,
  type Reservations,
  type WebhookEndpoint,
  webhookEndpoint,
} from '../systems/reservations/index.ts';
import type { Channel } from '../systems/telemetry/index.ts';
import { alertTeller } from './alert-teller.ts';
import { openBookingProviders } from './booking-providers.ts';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

export interface OpenBookingOptions {
  readonly database: SqlDatabase;
  readonly platform: Platform;
  readonly logger: Logger;
  /** Not started yet. */
  readonly jobs: Jobs;
  readonly channels: readonly Channel[];
  readonly config: BookingConfig;
  readonly publicUrl: string;
}

export interface OpenBooking {
  readonly services: BookingServices;
  close(): void;
}

export async function openBooking(
  context: Pick<CliContext, 'env' | 'messages'>,
  options: OpenBookingOptions,
): Promise<OpenBooking> {
  const { database, platform, logger, jobs, channels, publicUrl } = options;
  const { name, calendar, price, daysAhead, filmSource, ...settings } = { ...bookingDefaults, ...options.config };
  const renderSecret = await ensureSecret(database, platform.random, 'shotstack');
  let webhooks: WebhookEndpoint | undefined;
  // The sandboxes send only once a customer has done something; by then it is there.
  const receiver = (): WebhookEndpoint => {
    if (!webhooks) throw new Error('The webhooks of bookings are not open yet.');
    return webhooks;
  };
  try {
    const providers = await openBookingProviders(context, {
      database,
      platform,
      publicUrl,
      renderSecret,
      onWebhook: (request) => receiver().payments(request),
      onRenderCallback: (request) => receiver().renders(request),
    });
    const effects = jobsEffectQueue(jobs, { clock: platform.clock });
    const teller = alertTeller(effects, channels, { database, reservations: () => reservations });
    const reservations: Reservations = createReservations({
      // The sandbox shows every way to pay.
      ...(providers.sandbox.payments && { delayedMethods: true }),
      ...settings,
      ...providers,
      database,
      jobs: effects,
      calendar,
      price,
      alerts: teller,
      logger,
      clock: platform.clock,
      random: platform.random,
      returnUrl: (id, result) => `${publicUrl}/book/${id}?result=${result}`,
    });
    const work = (): void => {
      reservations.workEvents().catch((cause: unknown) => logger.warn('events wait', { cause }));
    };
    webhooks = webhookEndpoint({
      reservations,
      onStored: work,
      onError: (cause) => logger.error('webhook not stored', { cause }),
    });
    for (const periodic of reservations.periodic) defineClockwork(jobs, periodic);
    const customers = await createCustomers({ database, clock: platform.clock, random: platform.random });
    const holdMs = settings.holdMs ?? 900_000;
    const site = { name, timeZone: calendar.timeZone, holdMs, slots: calendar.slots, daysAhead, filmSource };
    return {
      services: { site, reservations, customers, webhooks, renderSecret, sandbox: providers.sandbox },
      close() {
        providers.sandbox.payments?.close();
        providers.sandbox.render?.close();
      },
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_ARGUMENT') throw error;
    throw new CliError(error.message, exitCodes.usage, { cause: error });
  }
}

/** Events are worked as they arrive; by the clock, once a minute, come those whose server died in between. */
function defineClockwork(jobs: Jobs, { name, everyMs, run }: PeriodicJob): void {
  jobs.define({
    name,
    queue: 'kannuki',
    concurrency: 'forbid',
    schedule: { kind: 'every', minutes: Math.max(1, Math.round(everyMs / 60_000)) },
    timeoutSeconds: 300,
    maxRetries: 0,
    handler: async () => {
      const result = await run();
      return result === undefined ? null : JSON.parse(JSON.stringify(result));
    },
  });
}
