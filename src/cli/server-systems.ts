/** The systems of `serve`, put together over its database. */
import { join } from 'node:path';
import type { Logger, Platform, SqlDatabase } from '../core/ports.ts';
import { createSignIn, type SignIn, type SystemServices } from '../server/index.ts';
import { createCollector, createReporter, createRollouts, type Reporter } from '../systems/telemetry/index.ts';
import type { CliContext } from './cli-context.ts';

export interface ServerSystems {
  readonly services: SystemServices & { readonly signIn: SignIn };
  close(): Promise<void>;
}

export interface OpenSystemsOptions {
  readonly dataDir: string;
  readonly env: CliContext['env'];
  readonly platform: Platform;
  readonly logger: Logger;
}

/** The readonly rate is looked at this often. */
const reportEveryMs = 60_000;

export async function openSystems(database: SqlDatabase, options: OpenSystemsOptions): Promise<ServerSystems> {
  const { dataDir, env, platform, logger } = options;
  const signIn = await createSignIn({ database, clock: platform.clock, random: platform.random });
  const collector = createCollector({ database, dir: join(dataDir, 'collector'), platform });
  const rollouts = createRollouts({ database });
  const reporter = createReporter({ database, rollouts });
  const stopReporting = reportAgainAndAgain(reporter, platform, logger);
  const publishableKey = env.KANNUKI_TELEMETRY_KEY;
  return {
    services: { signIn, telemetry: { collector, rollouts, reporter, ...(publishableKey && { publishableKey }) } },
    async close() {
      await stopReporting();
      await collector.close();
    },
  };
}

function reportAgainAndAgain(reporter: Reporter, { clock }: Platform, logger: Logger): () => Promise<void> {
  let stopped = false;
  let timer: { cancel(): void } | undefined;
  let working: Promise<void> = Promise.resolve();
  const work = async (): Promise<void> => {
    try {
      const { incident } = await reporter.report();
      if (incident) logger.warn('rollout in breach', { ...incident });
    } catch (cause) {
      logger.error('the rollout could not be judged', { cause });
    }
    if (!stopped) arm();
  };
  const arm = (): void => {
    timer = clock.after(
      reportEveryMs,
      () => {
        working = work();
      },
      { background: true },
    );
  };
  arm();
  return async () => {
    stopped = true;
    timer?.cancel();
    await working;
  };
}
