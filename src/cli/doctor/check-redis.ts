import { type Finding, fail, ok, sentenceOf, warn } from './finding.ts';

/** What a Redis server may do to leases behind our back. */
export async function checkRedis(info: (section: string) => Promise<string>): Promise<readonly Finding[]> {
  let said: string;
  try {
    said = (await Promise.all(['server', 'memory', 'persistence'].map(info))).join('\n');
  } catch (error) {
    return [warn('redis', `it does not tell its settings: ${sentenceOf(error)}`, 'allow INFO to this user')];
  }
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(said)?.[1] ?? '';
  return [version(field('redis_version')), eviction(field('maxmemory'), field('maxmemory_policy')), memory(field)];
}

function version(text: string): Finding {
  const [major = 0, minor = 0] = text.split('.').map(Number);
  if (major > 6 || (major === 6 && minor >= 2)) return ok('redis', text);
  return fail('redis', text, 'install Redis 6.2 or newer');
}

function eviction(limit: string, policy: string): Finding {
  if (limit === '0' || policy === 'noeviction') return ok('redis eviction', 'off');
  return warn('redis eviction', `${policy}: leases may be forgotten`, 'set maxmemory-policy noeviction');
}

function memory(field: (name: string) => string): Finding {
  if (field('aof_enabled') === '1') return ok('redis persistence', 'appendonly');
  const detail = 'no append-only file: a restart forgets leases and fences';
  return warn('redis persistence', detail, 'set appendonly yes, or fence in a database');
}
