/**
 * `kannuki serve`: the private database (or the one DATABASE_URL names), its tables, leases, jobs and telemetry over
 * HTTP, one worker, a candidate for leadership, and the web pages. It says where it listens on standard output once it
 * does, and stops cleanly on SIGINT or SIGTERM.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../engine/migrate.ts';
import {
  type ApiToken,
  apiToken,
  createServerApp,
  type InternalCallers,
  internalToken,
  loadPages,
  type Pages,
  type Readiness,
  type RunningServer,
  readFaultResults,
  serveApp,
} from '../../server/index.ts';
import type { Jobs } from '../../systems/jobs/index.ts';
import { checkDataDir, checkEnvironment } from '../check-environment.ts';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { cliTokenPath, ensureCliToken } from '../cli-token.ts';
import { dataDirOf, openServerDatabase, type ServerDatabase } from '../compose.ts';
import { createLogger } from '../create-logger.ts';
import { exitCodes } from '../exit-codes.ts';
import { isLoopback } from '../is-loopback.ts';
import type { LogLevel } from '../log-level.ts';
import { readMigrationState } from '../migration-state.ts';
import { type JobsCommandOptions, openJobs, startJobs } from '../open-jobs.ts';
import { drainBounds, readDuration, readPort } from '../options.ts';
import { packageVersion } from '../package-version.ts';
import { readConfig } from '../read-config.ts';
import { openSystems, type ServerSystems } from '../server-systems.ts';
import { listenForStop } from '../stop-signal.ts';

export interface ServeOptions extends JobsCommandOptions {
  readonly port: string;
  readonly host: string;
  readonly drain?: string;
  readonly data?: string;
  readonly logLevel: LogLevel;
  readonly json?: boolean;
  /** False: `--no-worker`. */
  readonly worker: boolean;
}

export async function serve(context: CliContext, options: ServeOptions): Promise<number> {
  const { messages, env, platform } = context;
  checkEnvironment(context);
  const port = readPort(options.port, messages);
  const drainMs = readDuration('--drain', options.drain ?? '0s', drainBounds, messages);
  const dataDir = resolve(dataDirOf(options.data, env));
  checkDataDir(context, dataDir);
  const configured = readConfiguredToken(context, options.host);
  const internal = readInternalToken(context);
  const logger = createLogger(options.logLevel, { env: context.env });
  const stop = listenForStop();
  let server: ServerDatabase | undefined;
  let running: RunningServer | undefined;
  let systems: ServerSystems | undefined;
  let jobs: Jobs | undefined;
  const pages = findPages();
  try {
    server = await openServerDatabase(context, dataDir, logger);
    const { store, database } = server;
    const { applied } = await migrate(database, server.migrations);
    if (applied.length > 0) logger.info('migrated', { applied: applied.length });
    const tokens = [...configured, localToken(context, dataDir)];
    jobs = await openJobs(context, { server, dataDir, logger, options });
    const config = await readConfig(context, options.config);
    systems = await openSystems(database, {
      dataDir,
      context,
      platform,
      logger,
      jobs,
      publicUrl: publicUrlOf(context, options.host, port),
      config,
    });
    if (options.worker) await startJobs(context, jobs, options);
    const app = createServerApp({
      store,
      auditDatabase: database,
      jobs,
      tokens,
      logger,
      clock: platform.clock,
      random: platform.random,
      isReady: () => readiness(server),
      version: packageVersion,
      ...(internal && { internal }),
      ...(env.KANNUKI_PUBLIC_URL && { publicHost: new URL(env.KANNUKI_PUBLIC_URL).host }),
      systems: systems.services,
      ...(config.hidden && { hidden: config.hidden }),
      faultResults: () => readFaultResults(faultResultsPath),
      ...(pages && { pages }),
    });
    running = await serveApp({ app, port, host: options.host, drainMs, clock: platform.clock });
    const code = await systems.services.signIn.createCode('local', 'admin');
    announce(context, options, { url: running.url, code, engine: server.engine, dataDir });
    logger.info('listening', { at: running.url, engine: server.engine });
    await stop.stopped;
    logger.info('stopping');
  } finally {
    await running?.close();
    await jobs?.close();
    await systems?.close();
    await server?.close();
    stop.forget();
  }
  if (!options.json) context.say(messages.stopped);
  return exitCodes.ok;
}

async function readiness(server: ServerDatabase | undefined): Promise<Readiness> {
  if (!server) return { ready: false, reason: 'The database is not open yet.' };
  const state = await readMigrationState(server.database, server.migrations);
  return state.kind === 'current'
    ? { ready: true }
    : { ready: false, reason: 'The tables are not those of this version.' };
}

/** KANNUKI_PUBLIC_URL, else where it listens: what payment pages and renderers are told. */
function publicUrlOf({ env, messages }: CliContext, host: string, port: number): string {
  const given = env.KANNUKI_PUBLIC_URL;
  if (!given) return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new CliError(messages.badUrl('KANNUKI_PUBLIC_URL', 'https://booking.example.jp'), exitCodes.usage);
  }
  return given.replace(/\/+$/, '');
}

interface Announcement {
  readonly url: string;
  /** Works once: it is for the person who started the server. */
  readonly code: string;
  readonly engine: string;
  readonly dataDir: string;
}

function announce(context: CliContext, { json }: ServeOptions, { url, code, engine, dataDir }: Announcement): void {
  const { messages } = context;
  const signInUrl = `${url}/sign-in#code=${code}`;
  if (json) {
    context.print(JSON.stringify({ url, signInUrl, engine, data: dataDir, pid: process.pid }));
    return;
  }
  context.print(messages.listening(url));
  context.print(messages.signIn(signInUrl));
  context.say(`${engine}; ${messages.tokenFile(cliTokenPath(dataDir))}`);
}

/** The token for others, if there is one. Nothing is open to the network without it. */
function readConfiguredToken({ env, messages }: CliContext, host: string): readonly ApiToken[] {
  const secret = env.KANNUKI_API_TOKEN;
  if (secret) return [apiToken({ name: 'environment', role: 'admin', secret })];
  if (isLoopback(host)) return [];
  throw new CliError(messages.needsConfiguredToken(host), exitCodes.usage);
}

/** The token of task queues, if there is one; it opens `/internal/…` and nothing else. */
function readInternalToken({ env }: CliContext): InternalCallers | undefined {
  const secret = env.KANNUKI_INTERNAL_TOKEN;
  return secret ? { tokenSha256: internalToken(secret) } : undefined;
}

function localToken({ platform, messages }: CliContext, dataDir: string): ApiToken {
  return apiToken({ name: 'local', role: 'admin', secret: ensureCliToken(dataDir, platform.random, messages) });
}

/** The build lays what the fault runner saw beside the compiled program. */
const faultResultsPath = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'fault-results.jsonl');

/** The web application lies beside the compiled program; a checkout that was never built has none. */
function findPages(): Pages | undefined {
  const dir = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'web');
  return existsSync(dir) ? loadPages(dir) : undefined;
}
