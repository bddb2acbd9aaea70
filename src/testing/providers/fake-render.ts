/** A renderer on loopback with Shotstack's address, shapes and lack of signatures; tests decide what becomes of a render. */
import { platform } from '#platform';
import type { Random } from '../../core/ports.ts';
import { type LoopbackAnswer, type LoopbackRequest, loopbackServer } from './loopback-server.ts';
import { type ProviderFaults, providerFaults } from './provider-faults.ts';

export interface FakeRenderOptions {
  readonly random?: Random;
}

export type FakeRenderState = 'queued' | 'fetching' | 'rendering' | 'saving' | 'done' | 'failed';

export interface FakeRendering {
  readonly id: string;
  /** The body of the submission. */
  readonly edit: Readonly<Record<string, unknown>>;
  readonly status: FakeRenderState;
}

export interface FakeRender {
  /** For `shotstackRender`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly faults: ProviderFaults;
  /** Oldest first. */
  readonly renders: readonly FakeRendering[];
  /** Moves a render on without a word to anybody. */
  set(id: string, status: FakeRenderState): void;
  /** Calls back as the provider does; returns the receiver's status. Also with a lie, or about a copy to a CDN. */
  callBack(id: string, lie?: { readonly status?: FakeRenderState; readonly kind?: 'copy' }): Promise<number>;
  close(): Promise<void>;
}

interface Kept extends FakeRendering {
  status: FakeRenderState;
}

export async function startFakeRender({ random = platform.random }: FakeRenderOptions = {}): Promise<FakeRender> {
  const renders = new Map<string, Kept>();
  const faults = providerFaults();
  const apiKey = random.hex(20);

  const work = ({ method, path, body }: LoopbackRequest): LoopbackAnswer & { readonly kind: 'answer' } => {
    if (method === 'POST' && /^\/edit\/(v1|stage)\/render$/.test(path)) {
      const edit = JSON.parse(body) as Record<string, unknown>;
      if (!edit.timeline || !edit.output)
        return say(400, 'Validation Error', { error: 'timeline and output are required' });
      const id = uuid(random);
      renders.set(id, { id, edit, status: 'queued' });
      return say(201, 'Created', { id, message: 'Render Successfully Queued' });
    }
    const id = /^\/edit\/(?:v1|stage)\/render\/([^/]+)$/.exec(path)?.[1] ?? '';
    const render = method === 'GET' ? renders.get(id) : undefined;
    return render ? say(200, 'OK', detailsOf(render)) : say(404, 'Not Found', {});
  };
  const server = await loopbackServer(async (request) => {
    const fault = faults.take(request);
    if (fault === 'drop-before') return { kind: 'drop' };
    if (request.headers['x-api-key'] !== apiKey) return say(403, 'Forbidden', {});
    if (fault === 'hang-before') await faults.hang();
    if (fault === 'conflict') return say(429, 'Too Many Requests', {});
    if (fault === 'error') return say(500, 'Server Error', {});
    const answer = work(request);
    if (fault === 'error-after') return say(500, 'Server Error', {});
    if (fault === 'drop-after') return { kind: 'drop' };
    return fault === 'hang-after' ? { kind: 'hang' } : answer;
  });

  return {
    baseUrl: server.url,
    apiKey,
    faults,
    get renders() {
      return [...renders.values()];
    },
    set(id, status) {
      const render = renders.get(id);
      if (render) render.status = status;
    },
    async callBack(id, lie = {}) {
      const render = renders.get(id);
      if (typeof render?.edit.callback !== 'string') throw new Error(`Render ${id} has no callback.`);
      const { status = render.status, kind } = lie;
      const details = { ...detailsOf({ ...render, status }), owner: 'fake', completed: '2030-01-01T00:00:00.000Z' };
      const body =
        kind === 'copy' ? { type: 'serve', action: 'copy', id: uuid(random), render: id, status: 'ready' } : details;
      const response = await fetch(render.edit.callback, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(kind === 'copy' ? body : { type: 'edit', action: 'render', ...body }),
      });
      await response.arrayBuffer();
      return response.status;
    },
    async close() {
      faults.releaseHung();
      await server.close();
    },
  };
}

function detailsOf({ id, status }: Pick<FakeRendering, 'id' | 'status'>): Record<string, unknown> {
  return {
    id,
    status,
    ...(status === 'done' ? { url: `https://films.invalid/${id}.mp4` } : {}),
    ...(status === 'failed' ? { error: 'The asset could not be downloaded' } : {}),
  };
}

function say(status: number, message: string, response: Record<string, unknown>): LoopbackAnswer & { kind: 'answer' } {
  return { kind: 'answer', status, body: { success: status < 300, message, response } };
}

function uuid(random: Random): string {
  return random.hex(16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
