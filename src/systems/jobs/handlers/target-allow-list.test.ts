import { describe, expect, it } from 'vitest';
import { createTargetAllowList } from './target-allow-list.ts';

const insideAddresses = [
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  'fe80::1',
  'fe80::1%eth0',
  'fd00::1',
  'fec0::1',
  'ff02::1',
  '2002:7f00:1::',
  '2001:0:7f00:1::',
];

describe('the list of allowed targets', () => {
  it('is closed when empty', () => {
    const list = createTargetAllowList([]);
    for (const host of ['example.com', 'localhost', '127.0.0.1', '8.8.8.8', '::1'])
      expect(list.allowsHost(host)).toBe(false);
  });

  it.each(insideAddresses)('does not let a name lead to %s', (address) => {
    expect(createTargetAllowList(['example.com', '*.example.com', 'public']).allowsAddress(address)).toBe(false);
    expect(createTargetAllowList(['public']).allowsHost(address)).toBe(false);
  });

  it.each(['8.8.8.8', '172.32.0.1', '1.1.1.1', '2606:4700:4700::1111'])('counts %s as public', (address) => {
    expect(createTargetAllowList(['example.com']).allowsAddress(address)).toBe(true);
    expect(createTargetAllowList(['public']).allowsHost(address)).toBe(true);
    expect(createTargetAllowList(['example.com']).allowsHost(address)).toBe(false);
  });

  it('knows hosts and domains', () => {
    const list = createTargetAllowList(['API.example.com', '*.trusted.net']);
    expect(list.allowsHost('api.example.com')).toBe(true);
    expect(list.allowsHost('api.example.com.')).toBe(true);
    expect(list.allowsHost('a.b.trusted.net')).toBe(true);
    for (const host of [
      'example.com',
      'x.api.example.com',
      'trusted.net',
      'eviltrusted.net',
      'api.example.com.evil.org',
    ])
      expect(list.allowsHost(host), host).toBe(false);
  });

  it('opens this machine and nets when they are named', () => {
    const local = createTargetAllowList(['localhost']);
    expect([local.allowsHost('localhost'), local.allowsHost('127.0.0.1'), local.allowsHost('::1')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(local.allowsAddress('::ffff:127.0.0.1')).toBe(true);
    expect(local.allowsAddress('10.0.0.1')).toBe(false);
    const net = createTargetAllowList(['10.0.0.0/8', 'fd00::/8', 'internal.example.com']);
    expect([net.allowsHost('10.9.9.9'), net.allowsAddress('10.9.9.9'), net.allowsAddress('fd12::1')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(net.allowsHost('192.168.0.1')).toBe(false);
  });

  it.each(['http://example.com', '10.0.0.0/33', '*', '*.', 'a b', ''])('refuses the entry "%s"', (entry) => {
    expect(() => createTargetAllowList([entry])).toThrow(/list of allowed targets/);
  });
});
