/**
 * Kept connections by `node:http`, which takes a third of the time that `fetch` does for a small request. Nothing is
 * repeated by itself: a request that failed may have taken effect.
 */
import { urlToHttpOptions } from 'node:url';
import type { Connections, Exchange, ExchangeRequest } from '../core/connections.ts';

/** Servers close idle connections after 5 s and more; ours go before, so that no request meets a closing one. */
const idleMs = 4_000;

export function nodeConnections(base: string): Connections {
  const url = new URL(base);
  const isSecure = url.protocol === 'https:';
  // Loaded by whoever uses it: most programs of this platform send nothing over HTTP.
  const agentOptions = { keepAlive: true, timeout: idleMs };
  const http = process.getBuiltinModule('node:http');
  const https = process.getBuiltinModule('node:https');
  const agent = isSecure ? new https.Agent(agentOptions) : new http.Agent(agentOptions);
  const request = isSecure ? https.request : http.request;
  const { protocol, hostname, port } = urlToHttpOptions(url);
  const target = { agent, protocol, hostname, port };
  const root = url.pathname.replace(/\/+$/, '');

  function exchange({ method, path, headers, body }: ExchangeRequest): Exchange {
    const sent = request({
      ...target,
      method,
      path: root + path,
      headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
    });
    sent.end(body);
    return { answer, cancel: () => sent.destroy(new Error('The request was given up.')) };
  }

  return { exchange, close: () => agent.destroy() };
}
