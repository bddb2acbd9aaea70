import { redisLibraryVersion } from './redis-clients.ts';
import { redisVersion } from './redis-server.ts';
import { reportComponent } from './report-component.ts';

/** Why the Redis tests cannot run here, or undefined. What is missing is counted as a skip. */
export async function missingRedis(): Promise<string | undefined> {
  try {
    const libraries = (['ioredis', 'redis'] as const).map((name) => `${name} ${redisLibraryVersion(name)}`);
    reportComponent({ component: `Redis ${await redisVersion()} over ${libraries.join(', ')}`, status: 'took part' });
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!reason.includes('is not installed')) throw error;
    // Root can install a package; so can anybody who may run `npm ci`.
    const avoidable = reason.includes('npm') || process.getuid?.() === 0;
    reportComponent({ component: 'Redis', status: 'skipped', reason, avoidable });
    return reason;
  }
}
