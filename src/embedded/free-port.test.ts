import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { platform } from '#platform';
import { freePort } from './free-port.ts';

it('gives the preferred port while it is free, and another one while it is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const instead = await freePort(platform.random, port);
  expect(instead).not.toBe(port);
  expect(instead).toBeGreaterThanOrEqual(15_000);
  expect(instead).toBeLessThan(32_000);
  other.close();
  await once(other, 'close');
  expect(await freePort(platform.random, port)).toBe(port);
});
