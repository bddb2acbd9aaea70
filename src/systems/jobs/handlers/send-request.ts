/**
 * One HTTP request to a target that the allow-list has judged. The connection goes only to addresses that were checked
 * in the very look-up that it uses, so a name cannot change its mind in between. Redirects are not followed.
 */
import { type LookupAddress, lookup } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { JobError } from '../job-error.ts';
import type { TargetAllowList } from './target-allow-list.ts';

export interface TargetRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** Bytes of the reply that are kept; the rest is not read. */
  readonly replyBytesMax: number;
}

export interface TargetReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly truncated: boolean;
}

/** Resolves host names; a parameter so that tests need no name server. */
export type ResolveHost = (
  host: string,
  done: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

const systemResolve: ResolveHost = (host, done) => lookup(host, { all: true }, done);

export async function sendRequest(
  { url, method, headers, body, signal, replyBytesMax }: TargetRequest,
  allowList: TargetAllowList,
  resolveHost: ResolveHost = systemResolve,
): Promise<TargetReply> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!allowList.allowsHost(host)) throw forbidden(`The host ${host} is not on the list of allowed targets.`);
  if (isIP(host) !== 0 && !allowList.allowsAddress(host))
    throw forbidden(`The address ${host} is not on the list of allowed targets.`);
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const outgoing = send(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
    // A connection of its own: one from a pool would have been checked for somebody else.
    agent: false,
    lookup: checkedLookup(allowList, resolveHost),
    signal,
  });
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    outgoing.end(body);
  });
  // After the reply has begun an error reaches us through it.
  outgoing.on('error', () => {});
  const { text, truncated } = await readReply(incoming, replyBytesMax);
  outgoing.destroy();
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: text, truncated };
}

function checkedLookup(allowList: TargetAllowList, resolveHost: ResolveHost): LookupFunction {
  return (host, options, callback) => {
    resolveHost(host, (error, addresses) => {
      if (error) return callback(error, []);
      const outside = addresses.find(({ address }) => !allowList.allowsAddress(address));
      // One bad address is enough: a name that points inside once may do so at the next try.
      if (outside)
        return callback(
          forbidden(`The host ${host} leads to ${outside.address}, which is not an allowed address.`),
          [],
        );
      const [first] = addresses;
      if (!first) return callback(new Error(`The host ${host} has no address.`), []);
      if (options.all) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    });
  };
}

async function readReply(
  incoming: IncomingMessage,
  bytesMax: number,
): Promise<{ readonly text: string; readonly truncated: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const part = (chunk as Buffer).subarray(0, bytesMax - bytes);
    chunks.push(part);
    bytes += part.length;
    if (part.length < (chunk as Buffer).length)
      return { text: Buffer.concat(chunks).toString('utf8'), truncated: true };
  }
  return { text: Buffer.concat(chunks).toString('utf8'), truncated: false };
}

function forbidden(message: string): JobError {
  return new JobError(message, { code: 'target-forbidden' });
}
