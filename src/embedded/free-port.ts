import { once } from 'node:events';
import { createServer } from 'node:net';
import { LeaseError } from '../core/errors.ts';
import type { Random } from '../core/ports.ts';

/** Systems give higher ports to outgoing connections, one of which could sit on ours while the server restarts. */
const portRange = { first: 15_000, count: 17_000 } as const;

/** More would mean that nothing can listen at all. */
const triesMax = 50;

/** `preferred` if nobody listens there, else a free port. Another program may still be quicker than the server. */
export async function freePort(random: Random, preferred?: number): Promise<number> {
  if (preferred !== undefined && (await canListen(preferred))) return preferred;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = portRange.first + Math.floor(random.fraction() * portRange.count);
    if (await canListen(port)) return port;
  }
  throw new LeaseError('No port of 127.0.0.1 is free for the PostgreSQL server; look at the loopback network.', {
    code: 'store-unavailable',
  });
}

async function canListen(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}
