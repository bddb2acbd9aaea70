/**
 * Which http targets a worker may call. Nothing is allowed that is not listed:
 *
 *   api.example.com      this host, at public addresses
 *   *.example.com        every host below it, at public addresses
 *   public               every host at public addresses
 *   127.0.0.1, 10.0.0.0/8, ::1   these addresses, whether the URL names them or an allowed host leads there
 *   localhost            this machine: 127.0.0.0/8 and ::1
 *
 * A host is judged by its name, and then every address it resolves to is judged, too: a name on the list that
 * suddenly leads inside (to this machine, a private net, a cloud's metadata) is refused.
 */
import { BlockList, isIP } from 'node:net';
import { JobError } from '../job-error.ts';

export interface TargetAllowList {
  /** A host as of a URL, brackets of IPv6 taken off. */
  allowsHost(host: string): boolean;
  /** An address about to be connected to, for a host that is allowed. */
  allowsAddress(address: string): boolean;
}

/** Addresses that are not public: this machine, private and shared nets, link-local, metadata, tests, multicast. */
const insideNets = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];
const inside = netsOf(insideNets);
const thisMachine = ['127.0.0.0/8', '::1'];

export function createTargetAllowList(entries: readonly string[]): TargetAllowList {
  const hosts = new Set<string>();
  const suffixes: string[] = [];
  const nets: string[] = [];
  let anyPublic = false;
  for (const entry of entries.map((text) => text.trim().toLowerCase())) {
    if (entry === 'public') anyPublic = true;
    else if (isNet(entry)) nets.push(entry);
    else if (entry === 'localhost') {
      hosts.add(entry);
      nets.push(...thisMachine);
    } else if (/^\*\.[a-z0-9.-]+$/.test(entry)) suffixes.push(entry.slice(1));
    else if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(entry)) hosts.add(entry);
    else {
      throw new JobError(
        `"${entry}" cannot be on the list of allowed targets; write a host, *.domain, an address, a net like 10.0.0.0/8, localhost, or public.`,
        { code: 'invalid-argument' },
      );
    }
  }
  const listed = netsOf(nets);
  const allowsAddress = (address: string): boolean => {
    const plain = unmapped(address);
    return isIP(plain) !== 0 && (has(listed, plain) || !has(inside, plain));
  };
  return {
    allowsHost(host) {
      const name = host.toLowerCase().replace(/\.$/, '');
      if (isIP(name) !== 0) return has(listed, unmapped(name)) || (anyPublic && allowsAddress(name));
      return anyPublic || hosts.has(name) || suffixes.some((suffix) => name.endsWith(suffix));
    },
    allowsAddress,
  };
}

function isNet(text: string): boolean {
  const [address = '', bits, more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function netsOf(nets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const net of nets) {
    const [address = '', bits] = net.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** `::ffff:127.0.0.1` and `::ffff:7f00:1` are 127.0.0.1 in other clothes. */
function unmapped(address: string): string {
  const bare = address.toLowerCase().replace(/%.*$/, '');
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (dotted !== undefined) return dotted;
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(bare) ?? [];
  if (high === undefined || low === undefined) return bare;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}
