/**
 * Leases of a Kannuki server, over HTTP. The server works on its own store step by step and remembers nothing for us,
 * so this is a plain store: the keeper above it decides when to ask, and repeats what got lost under the same grant id.
 */
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { Clock, LeaseCapabilities, LeaseStore, ListPlace, RenewRequest, Share } from '../../core/ports.ts';
import { fetchConnections } from './fetch-connections.ts';
import { checkUrl, createHttpClient, type HttpClient } from './http-client.ts';
import { openNoticeStream } from './notice-stream.ts';
import * as shapes from './reply-shapes.ts';

export interface HttpStoreOptions {
  /** Where the server listens: `http://127.0.0.1:4010`. A path in front of `/api` is allowed. */
  readonly url: string;
  /** A token of the role operator. */
  readonly token: string;
  /** By which all requests are sent. @default `node:http` in Node, else the platform's fetch */
  readonly fetch?: typeof fetch;
  /** After this long without an answer the outcome is unknown. 100 ms to 60 s. @default 10_000 */
  readonly timeoutMs?: number;
  /** What the server's store can do. `openHttpStore` asks. @default everything, as `kannuki serve` */
  readonly capabilities?: LeaseCapabilities;
  /** @default the platform's clock */
  readonly clock?: Clock;
}

/** Leases of a Kannuki server. Nothing is sent before the first call. */
export function httpStore(options: HttpStoreOptions): LeaseStore {
  return storeOver(clientOf(options), options, options.capabilities ?? everything);
}

/** Asks the server first what its store can do; fails at once when it does not answer or refuses the token. */
export async function openHttpStore(options: HttpStoreOptions): Promise<LeaseStore> {
  const client = clientOf(options);
  const { json } = await client.send({ method: 'GET', path: '/capabilities' });
  const { capabilities } = shapes.readReply(shapes.capabilitiesReply, json, client.base);
  return storeOver(client, options, capabilities);
}

const everything: LeaseCapabilities = {
  line: true,
  shared: true,
  counted: true,
  several: true,
  fences: true,
  durable: true,
  network: true,
};

/** What one request carries at most; the server refuses more. */
const renewalsPerRequest = 500;

function clientOf(options: HttpStoreOptions): HttpClient {
  const { url, token, timeoutMs = 10_000, clock = platform.clock, fetch: send = fetch } = options;
  if (!(timeoutMs >= 100 && timeoutMs <= 60_000)) {
    throw new LeaseError(`timeoutMs must be a number of milliseconds from 100 to 60000, got ${timeoutMs}.`, {
      code: 'invalid-argument',
    });
  }
  const base = checkUrl(url);
  const connections = (!options.fetch && platform.openConnections?.(base)) || fetchConnections(base, send);
  return createHttpClient({ base, token, timeoutMs, clock, connections, fetch: send });
}

function storeOver(client: HttpClient, options: HttpStoreOptions, capabilities: LeaseCapabilities): LeaseStore {
  const { clock = platform.clock, timeoutMs = 10_000 } = options;
  const { base } = client;
  const post = async (path: string, body: object, call: { key?: string; expect?: number } = {}): Promise<unknown> =>
    (await client.send({ method: 'POST', path, body, ...call })).json;

  async function renewChunk(requests: readonly RenewRequest[]): Promise<readonly boolean[]> {
    const leases = requests.map(({ key, owner, token, ttlMs, share }) => {
      return { key, owner, token, ttlMs, ...shareFields(share) };
    });
    const { renewed } = shapes.readReply(shapes.renewReply, await post('/renew', { leases }), base);
    if (renewed.length === requests.length) return renewed;
    throw new LeaseError(`The Kannuki server at ${base} answered ${renewed.length} of ${requests.length} renewals.`, {
      code: 'store-corrupt',
    });
  }

  return {
    name: 'http',
    capabilities,
    // Fields are named one by one: the server refuses what it does not know, and callers may pass more than we need.
    async acquire({ key, owner, ttlMs, line, share }) {
      const body = { key, owner, ttlMs, line, ...shareFields(share) };
      const json = await post('/acquire', body, { key, expect: 409 });
      return shapes.readReply(shapes.acquireReply, json, base);
    },
    async acquireAll({ keys, owner, ttlMs }) {
      const json = await post('/acquire-all', { keys, owner, ttlMs }, { expect: 409 });
      return shapes.readReply(shapes.acquireAllReply, json, base);
    },
    async renew(requests) {
      const chunks: Promise<readonly boolean[]>[] = [];
      for (let i = 0; i < requests.length; i += renewalsPerRequest) {
        chunks.push(renewChunk(requests.slice(i, i + renewalsPerRequest)));
      }
      return (await Promise.all(chunks)).flat();
    },
    async release({ key, owner, token, acceptMs, share }) {
      const json = await post('/release', { key, owner, token, acceptMs, ...shareFields(share) }, { key });
      return shapes.readReply(shapes.releaseReply, json, base).released;
    },
    async leave({ key, owner }) {
      const json = await post('/leave', { key, owner }, { key });
      return shapes.readReply(shapes.leaveReply, json, base).left;
    },
    async breakLease({ key, reason, by, acceptMs }) {
      const json = await post('/break', { key, reason, by, acceptMs }, { key });
      return shapes.readReply(shapes.breakReply, json, base);
    },
    async explainLoss({ key, owner, token }) {
      const json = await post('/explain-loss', { key, owner, token }, { key });
      return shapes.readReply(shapes.explainLossReply, json, base).cause;
    },
    async list({ prefix, after, limit }) {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(prefix !== undefined && { prefix }),
        ...(after && { cursor: cursorAt(after) }),
      });
      const { json } = await client.send({ method: 'GET', path: `?${query}` });
      return shapes.readReply(shapes.listReply, json, base).leases;
    },
    async claim({ resource, token }) {
      return shapes.readReply(shapes.claimReply, await post('/claim', { resource, token }), base);
    },
    subscribe: (process, onNotice) => openNoticeStream({ client, process, onNotice, clock, timeoutMs }),
    async close() {
      client.close();
    },
  };
}

function shareFields(share: Share | undefined): { readonly capacity?: number; readonly weight?: number } {
  return share ? { capacity: share.capacity, weight: share.weight } : {};
}

/** The server's own spelling of a place in its list (src/server/paging/page-cursor.ts); the conformance cases compare. */
function cursorAt({ key, token }: ListPlace): string {
  return Buffer.from(JSON.stringify(['leases', key, token])).toString('base64url');
}
