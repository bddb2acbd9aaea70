import { afterEach, describe, expect, it, vi } from 'vitest';
import { commandAs, programEnv } from './run-as.ts';

describe('commandAs', () => {
  it.each([
    [{ how: 'self', uid: 1000, gid: 1000 }, 'postgres', ['-D', 'x'], {}],
    [{ how: 'user', uid: 65, gid: 66 }, 'postgres', ['-D', 'x'], { uid: 65, gid: 66 }],
    [
      { how: 'namespace', uid: 65, gid: 66 },
      'unshare',
      ['-U', '--map-user=65', '--map-group=66', '--', 'postgres', '-D', 'x'],
      {},
    ],
  ] as const)('spawns as %o', (runAs, command, args, options) => {
    expect(commandAs(runAs, 'postgres', ['-D', 'x'])).toEqual({ command, args, options });
  });
});

describe('programEnv', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('keeps the environment, without what would lead PostgreSQL elsewhere', () => {
    vi.stubEnv('PGDATA', '/elsewhere');
    vi.stubEnv('PGPORT', '1');
    vi.stubEnv('LANG', 'xx_XX');
    vi.stubEnv('KANNUKI_SEEN', 'yes');
    const env = programEnv();
    expect(env).toMatchObject({ KANNUKI_SEEN: 'yes', LC_ALL: 'C' });
    expect(env.PGDATA).toBeUndefined();
    expect(env.PGPORT).toBeUndefined();
    expect(env.LANG).toBeUndefined();
  });
});
