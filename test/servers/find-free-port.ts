import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port of 127.0.0.1 that nobody listened on a moment ago, below `below`. */
export async function findFreePort(below = 65_536): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    server.close();
    await once(server, 'close');
    if (typeof address === 'object' && address && address.port < below) return address.port;
  }
}
