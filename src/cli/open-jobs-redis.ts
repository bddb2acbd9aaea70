/**
 * The Redis of REDIS_URL for heartbeats of workers, over whichever client library is installed. It may be away, now or
 * later: the jobs then go on with the database, and the client comes back by itself.
 */
import type { JobsRedisClient } from '../systems/jobs/index.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { ifInstalled } from './if-installed.ts';
import type { Messages } from './messages.ts';

export interface OpenedJobsRedis {
  readonly client: JobsRedisClient;
  end(): void;
}

export async function openJobsRedis(url: string, messages: Messages): Promise<OpenedJobsRedis> {
  if (!/^rediss?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new CliError(messages.badRedisUrl, exitCodes.usage);
  }
  const opened = (await overIoRedis(url)) ?? (await overNodeRedis(url));
  if (!opened) throw new CliError(messages.needsRedisClient, exitCodes.usage);
  return opened;
}

async function overIoRedis(url: string): Promise<OpenedJobsRedis | undefined> {
  const library = await ifInstalled(() => import('ioredis'));
  if (!library) return undefined;
  const client = new library.Redis(url, { maxRetriesPerRequest: 1 });
  // What it means for the jobs is told by the jobs.
  client.on('error', () => {});
  return { client, end: () => client.disconnect() };
}

async function overNodeRedis(url: string): Promise<OpenedJobsRedis | undefined> {
  const library = await ifInstalled(() => import('redis'));
  if (!library) return undefined;
  const reconnectStrategy = (retries: number): number => Math.min(retries * 50, 1_000);
  const client = library.createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy } });
  client.on('error', () => {});
  // Not waited for: it may take until Redis is there.
  client.connect().catch(() => {});
  return { client, end: () => client.destroy() };
}
