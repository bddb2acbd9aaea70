import { describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { memoryStore } from '../../stores/memory/index.ts';
import { apiToken } from '../authenticate.ts';
import { createServerApp } from '../create-server-app.ts';
import { createDoor } from './create-door.ts';
import { rateLimits } from './rate-limits.ts';
import { sourceOf } from './source-of.ts';

const secret = 's'.repeat(64);
const tokens = [apiToken({ name: 'ci', role: 'viewer', secret })];

/** A door in a time that stands still until it is moved. */
function setup(limits = rateLimits) {
  let nowMs = 0;
  const clock = { ...platform.clock, monotonicMs: () => nowMs };
  const door = createDoor({ tokens, internal: {}, clock, limits });
  const knock = async (route: Parameters<typeof door.admit>[1], bearer?: string, address = '192.0.2.1') => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    try {
      await door.admit(new Request('http://test/', { headers }), route, address);
      return { status: 200 };
    } catch (error) {
      const { status, headers: sent } = (error as { options: { status: number; headers?: Record<string, string> } })
        .options;
      return { status, retryAfter: sent?.['retry-after'] };
    }
  };
  return { knock, pass: (ms: number) => (nowMs += ms) };
}

describe('the door', () => {
  it('tells an address with bad tokens to come later, but never refuses a good one for them', async () => {
    const { knock, pass } = setup();
    const route = { role: 'viewer' } as const;
    const heard = [];
    for (let i = 0; i < 10_000; i++) heard.push((await knock(route, `bad-${i}`)).status);
    expect(heard.filter((status) => status === 401)).toHaveLength(60);
    expect(heard.filter((status) => status === 429)).toHaveLength(9_940);
    expect(await knock(route, 'bad')).toEqual({ status: 429, retryAfter: '1' });
    expect((await knock(route, secret)).status).toBe(200);
    expect((await knock(route, 'bad', '192.0.2.2')).status).toBe(401);
    pass(1_000);
    expect((await knock(route, 'bad')).status).toBe(401);
  });

  it('lets one address try to sign in ten times, then once in six seconds', async () => {
    const { knock, pass } = setup();
    const route = { role: 'anyone', limit: 'sign-in' } as const;
    for (let i = 0; i < 10; i++) expect((await knock(route)).status).toBe(200);
    expect(await knock(route)).toEqual({ status: 429, retryAfter: '6' });
    pass(6_000);
    expect((await knock(route)).status).toBe(200);
    expect((await knock(route)).status).toBe(429);
  });

  it('stops a caller gone wild, and only that one', async () => {
    const { knock } = setup({ ...rateLimits, caller: { perSecond: 10, burst: 5 } });
    const route = { role: 'viewer' } as const;
    for (let i = 0; i < 5; i++) expect((await knock(route, secret)).status).toBe(200);
    expect((await knock(route, secret)).status).toBe(429);
    for (let i = 0; i < 1_000; i++) expect((await knock({ role: 'anyone', limit: 'none' })).status).toBe(200);
  });

  it('remembers so many addresses and no more', async () => {
    const { knock } = setup({ ...rateLimits, failure: { perSecond: 1, burst: 1, maxSources: 100 } });
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 20_000; i++)
      await knock({ role: 'viewer' }, 'bad', `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000);
    expect((await knock({ role: 'viewer' }, 'bad', '10.0.0.0')).status).toBe(401);
  });

  it('counts an IPv6 network as one source', () => {
    expect(sourceOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(sourceOf('2001:0db8:1:2::9')).toBe(sourceOf('2001:db8:1:2:3:4:5:6'));
    expect(sourceOf('::1')).toBe('0:0:0:0::/64');
    expect(sourceOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
    expect(sourceOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(sourceOf(undefined)).toBe('unknown');
  });

  it('knows its own pages behind a proxy that says another host', async () => {
    const app = createServerApp({
      store: memoryStore(),
      tokens: [apiToken({ name: 'root', role: 'admin', secret })],
      publicHost: 'kannuki.example',
    });
    const post = async (origin: string) =>
      (
        await app.fetch(
          new Request('http://10.0.0.7:4010/api/v1/leases/acquire', {
            method: 'POST',
            headers: { authorization: `Bearer ${secret}`, origin, 'content-type': 'application/json' },
            body: JSON.stringify({ key: origin, ttlMs: 1_000 }),
          }),
        )
      ).status;
    expect(await post('https://kannuki.example')).toBe(200);
    expect(await post('http://10.0.0.7:4010')).toBe(200);
    expect(await post('https://kannuki.example.evil')).toBe(403);
    expect(await post('null')).toBe(403);
  });
});
