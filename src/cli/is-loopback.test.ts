import { expect, it } from 'vitest';
import { isLoopback } from './is-loopback.ts';

it('takes this machine only', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', '::1', '[::1]', 'LOCALHOST'])
    expect(isLoopback(host), host).toBe(true);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.org', 'localhost.example.org', '']) {
    expect(isLoopback(host), host).toBe(false);
  }
});
