/** The systems of `serve`, put together over its database. Their clockwork and their effects are jobs. */
import { join } from 'node:path';
import type { Logger, Platform, SqlDatabase } from '../core/ports.ts';
import {
  type AnalysisServices,
  createAnswers,
  createApiTokens,
  createChangeFeed,
  createSignIn,
  type KannukiConfig,
  type SignIn,
  type SystemServices,
} from '../server/index.ts';
import {
  analysisJobDefinition,
  createAnalysisWorker,
  sqlAnalysisReader,
  sqlAnalysisRepo,
} from '../systems/analysis/index.ts';
import { type Jobs, jobsEffectQueue } from '../systems/jobs/index.ts';
import {
  type Channel,
  createCollector,
  createNotifier,
  createReporter,
  createRollouts,
  pagerdutyChannel,
  slackChannel,
  webhookChannel,
} from '../systems/telemetry/index.ts';
import type { CliContext } from './cli-context.ts';
import { openBooking } from './open-booking.ts';

export interface ServerSystems {
  readonly services: SystemServices & { readonly signIn: SignIn };
  close(): Promise<void>;
}

export interface OpenSystemsOptions {
  readonly dataDir: string;
  readonly context: Pick<CliContext, 'env' | 'messages'>;
  readonly platform: Platform;
  readonly logger: Logger;
  /** Not started yet: the jobs of the systems are defined here. */
  readonly jobs: Jobs;
  readonly config: KannukiConfig;
  /** Where this server is reached, without a slash at the end. */
  readonly publicUrl: string;
}

export async function openSystems(database: SqlDatabase, options: OpenSystemsOptions): Promise<ServerSystems> {
  const { dataDir, context, platform, logger, jobs, config, publicUrl } = options;
  const { env } = context;
  const channels = channelsOf(env);
  const signIn = await createSignIn({ database, clock: platform.clock, random: platform.random });
  const changes = createChangeFeed({ database, logger, clock: platform.clock, random: platform.random });
  const answers = createAnswers({ database, platform });
  const collector = createCollector({ database, dir: join(dataDir, 'collector'), platform });
  const rollouts = createRollouts({ database });
  const effects = jobsEffectQueue(jobs, { clock: platform.clock });
  const reporter = createReporter({ database, rollouts, notifier: createNotifier(effects, channels) });
  jobs.define({
    name: 'kannuki.judge-rollout',
    queue: 'kannuki',
    concurrency: 'forbid',
    schedule: { kind: 'every', minutes: 1 },
    timeoutSeconds: 60,
    handler: async () => {
      const { incident } = await reporter.report();
      if (incident) logger.warn('rollout in breach', { ...incident });
    },
  });
  jobs.define({
    name: 'kannuki.prune-telemetry',
    queue: 'kannuki',
    schedule: { kind: 'daily', at: '03:17' },
    handler: async () => ({ pruned: await collector.prune() }),
  });
  jobs.define({
    name: 'kannuki.prune-answers',
    queue: 'kannuki',
    schedule: { kind: 'every', minutes: 60 },
    handler: async () => ({ pruned: await answers.prune() }),
  });
  const publishableKey = env.KANNUKI_TELEMETRY_KEY;
  const analysis = config.analysis && openAnalysis(database, config.analysis, options);
  const { reservations = {} } = config;
  const booking =
    reservations === false
      ? undefined
      : await openBooking(context, {
          database,
          platform,
          logger,
          jobs,
          channels,
          config: reservations,
          publicUrl,
        });
  return {
    services: {
      signIn,
      apiTokens: createApiTokens({ database, random: platform.random }),
      answers,
      changes,
      telemetry: { collector, rollouts, reporter, ...(publishableKey && { publishableKey }) },
      ...(analysis && { analysis }),
      ...(booking && { booking: booking.services }),
    },
    async close() {
      await changes.close();
      booking?.close();
      await analysis?.worker.close();
      await collector.close();
    },
  };
}

/** One worker serves the endpoint and the job; the lock of the row keeps them apart. */
function openAnalysis(
  database: SqlDatabase,
  { onLocked, ...given }: NonNullable<KannukiConfig['analysis']>,
  { platform, logger, jobs }: OpenSystemsOptions,
): AnalysisServices {
  const worker = createAnalysisWorker({ ...given, repo: sqlAnalysisRepo({ database }), platform, logger });
  jobs.define(analysisJobDefinition(worker));
  return { worker, reader: sqlAnalysisReader({ database }), ...(onLocked && { onLocked }) };
}

/** Those that are configured. */
function channelsOf(env: CliContext['env']): readonly Channel[] {
  const { SLACK_WEBHOOK_URL, PAGERDUTY_KEY, PAGERDUTY_URL, KANNUKI_ALERT_WEBHOOK_URL } = env;
  return [
    ...(SLACK_WEBHOOK_URL ? [slackChannel({ webhookUrl: SLACK_WEBHOOK_URL })] : []),
    ...(PAGERDUTY_KEY
      ? [pagerdutyChannel({ routingKey: PAGERDUTY_KEY, ...(PAGERDUTY_URL && { url: PAGERDUTY_URL }) })]
      : []),
    ...(KANNUKI_ALERT_WEBHOOK_URL ? [webhookChannel({ url: KANNUKI_ALERT_WEBHOOK_URL })] : []),
  ];
}
