// Acquire and release over HTTP against the same store driven directly, in the same run. A cycle is the time from asking
// for a free lease until it is released again. The server is a process of its own, as it is in life; both sides have as
// many connections to PostgreSQL as there are clients. All sides take turns in short blocks after 1,500 cycles each, and
// the ratio is the median of those within a round.
//
// `the store, behind an echo` is the limit: the same work in the store, and for each of its two steps a request to a
// node:http server that only sends it back.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../dist/embedded/index.js';
import { migrate } from '../../dist/index.js';
import { httpStore } from '../../dist/stores/http/index.js';
import { postgresStore } from '../../dist/stores/postgres/index.js';
import { compareCycles } from '../compare-cycles.mjs';

export const title = 'How long does it take to acquire and release a lease over HTTP? (PostgreSQL, fsync on)';

const secret = 's'.repeat(64);
const direct = 'the store itself';

export async function run({ quick }) {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-bench-http-'));
  const embedded = await openEmbedded({ dir, engine: 'postgres' });
  const rows = [];
  try {
    for (const clients of [1, 16]) {
      const child = fork(new URL('workers/serve.mjs', import.meta.url), [
        JSON.stringify({ url: embedded.url, secret, max: clients }),
      ]);
      const [{ url }] = await once(child, 'message');
      const echo = fork(new URL('workers/echo.mjs', import.meta.url));
      const [{ url: echoUrl }] = await once(echo, 'message');
      const store = postgresStore({ connectionString: embedded.url, max: clients });
      await migrate(store.schema.database, store.schema.migrations);
      const http = httpStore({ url, token: secret });
      const stream = new AbortController();
      let n = 0;
      const cycleOf = (target) => async (i) => {
        const one = async (client) => {
          const key = `key-${client}-${i % 16}`;
          const owner = `bench.${++n}@bench`;
          const { granted, lastToken } = await target.acquire({ key, owner, ttlMs: 30_000, line: false });
          if (!granted || !(await target.release({ key, owner, token: lastToken, acceptMs: 2_000 })))
            throw new Error('A free lease was not granted.');
        };
        await Promise.all(Array.from({ length: clients }, (_, client) => one(client)));
      };
      const size = quick ? { batch: 20, rounds: 9 } : { batch: 50, rounds: 21 };
      const plain = plainClient(url, clients);
      const echoed = echoedStore(store, echoUrl, clients);
      const cycles = {
        [direct]: cycleOf(store),
        'the store, behind an echo': cycleOf(echoed),
        'over HTTP, plain requests': cycleOf(plain),
        'over HTTP, kannuki/http': cycleOf(http),
      };
      const warmUp = Math.ceil(1_500 / clients);
      const quiet = await compareCycles(cycles, { base: [direct], ...size, warmUp });
      const listening = await fetch(`${url}/api/v1/stream`, {
        headers: { authorization: `Bearer ${secret}` },
        signal: stream.signal,
      });
      const watched = await compareCycles(cycles, { base: [direct], ...size });
      stream.abort();
      await listening.body.cancel().catch(() => undefined);
      rows.push(
        ...quiet.map((row) => ({ clients, changes: 'nobody listens', ...row })),
        ...watched.map((row) => ({ clients, changes: 'somebody listens', ...row })),
      );
      plain.close();
      echoed.close();
      await http.close();
      await store.close();
      for (const server of [child, echo]) {
        server.disconnect();
        await once(server, 'exit');
      }
    }
    return { rows };
  } finally {
    await embedded.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** What any language's client does: one request, one answer, connections that stay open. */
function plainClient(url, clients) {
  const { post, close } = plainPost(url, clients);
  return {
    acquire: ({ key, owner, ttlMs }) => post('acquire', { key, owner, ttlMs }),
    release: async ({ key, owner, token }) => (await post('release', { key, owner, token })).released,
    close,
  };
}

/** The store itself, and for each step a request that is only sent back. */
function echoedStore(store, url, clients) {
  const { post, close } = plainPost(url, clients);
  return {
    async acquire(asked) {
      await post('acquire', asked);
      return store.acquire(asked);
    },
    async release(asked) {
      await post('release', asked);
      return store.release(asked);
    },
    close,
  };
}

function plainPost(url, clients) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const post = (path, body) =>
    new Promise((resolve, reject) => {
      const text = JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      };
      const sent = request(`${url}/api/v1/leases/${path}`, { agent, method: 'POST', headers }, (answer) => {
        let got = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk) => {
          got += chunk;
        });
        answer.on('end', () => resolve(JSON.parse(got)));
        answer.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(text);
    });
  return { post, close: () => agent.destroy() };
}
