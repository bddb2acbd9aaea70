/**
 * A renderer that renders nothing: it takes its time, then says done, or failed when that was asked for. The name of a
 * render says how it ends and when, so that another process, or the same one after a restart, can be asked about it.
 */
import { platform } from '#platform';
import type { Clock, Random, Timer } from '../../../../core/ports.ts';
import type { RenderPort, RenderStatus } from '../../render-port.ts';
import { refusedProviderError, unavailableProviderError } from '../provider-error.ts';
import { readRenderCallback, renderCallbackUrl } from '../render-callback.ts';

export interface SandboxRenderOptions {
  /** Where callbacks go. @default nowhere: ask for the status */
  readonly callbackUrl?: string;
  /** Sends a callback, such as straight into the receiver of the same process. @default fetch */
  readonly send?: (request: Request) => Promise<Response>;
  /** @default 2000 */
  readonly durationMs?: number;
  /** How many times each callback is sent. @default 1 */
  readonly copies?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** What the next renders do: fail after their time, be refused at once, or start without an answer. */
export type RenderMishap = 'fails' | 'refused' | 'no-answer';

export interface SandboxRender extends RenderPort {
  /** The next submissions go wrong. */
  failNext(renders: number, mishap: RenderMishap): void;
  /** Every render that was started, oldest first, as it is now. */
  readonly renders: readonly SandboxRendering[];
  close(): void;
}

export interface SandboxRendering extends RenderStatus {
  readonly videoId: number;
  readonly attempt: number;
}

interface Started {
  readonly renderId: string;
  readonly videoId: number;
  readonly attempt: number;
  readonly endsAtMs: number;
  readonly fails: boolean;
}

export function sandboxRender(options: SandboxRenderOptions = {}): SandboxRender {
  const { callbackUrl, durationMs = 2_000, copies = 1, send = (request) => fetch(request) } = options;
  const { clock = platform.clock, random = platform.random } = options;
  const started = new Map<string, Started>();
  const timers = new Set<Timer>();
  let mishaps: RenderMishap[] = [];

  const statusOf = (render: Started): SandboxRendering => showRender(render, clock.monotonicMs() < render.endsAtMs);
  const callBack = async (url: string, render: Started): Promise<void> => {
    const { renderId: id, fails } = render;
    const { url: film, error } = statusOf(render);
    const status = fails ? 'failed' : 'done';
    const body = JSON.stringify({ type: 'edit', action: 'render', id, owner: 'sandbox', status, url: film, error });
    const request = (): Request =>
      new Request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    // A callback that does not arrive is nobody's loss: the status can be asked for.
    await Promise.allSettled(Array.from({ length: copies }, () => send(request())));
  };

  return {
    name: 'sandbox',
    readCallback: readRenderCallback,
    get renders() {
      return [...started.values()].map(statusOf);
    },
    async submit(request) {
      const mishap = mishaps.shift();
      if (mishap === 'refused') {
        throw refusedProviderError('The sandbox', `render video ${request.videoId}`, { why: 'that was asked for.' });
      }
      const ending = `${(clock.wallMs() + durationMs).toString(36)}-${mishap === 'fails' ? 'f' : 'd'}`;
      const renderId = `${ending}-${request.videoId}-${request.attempt}-${random.hex(6)}`;
      const { videoId, attempt } = request;
      const endsAtMs = clock.monotonicMs() + durationMs;
      const render: Started = { renderId, videoId, attempt, endsAtMs, fails: mishap === 'fails' };
      started.set(renderId, render);
      if (callbackUrl !== undefined) {
        const timer = clock.after(
          durationMs,
          () => {
            timers.delete(timer);
            void callBack(renderCallbackUrl(callbackUrl, request), render);
          },
          { background: true },
        );
        timers.add(timer);
      }
      if (mishap === 'no-answer') {
        throw unavailableProviderError('The sandbox', `render video ${videoId}`, { why: 'an outage was asked for' });
      }
      return { renderId };
    },
    async getStatus(renderId) {
      const render = started.get(renderId);
      return render ? statusOf(render) : readName(renderId, clock.wallMs());
    },
    failNext(renders, mishap) {
      mishaps = [...mishaps, ...Array.from({ length: renders }, () => mishap)];
    },
    close() {
      for (const timer of timers) timer.cancel();
      timers.clear();
    },
  };
}

function showRender({ renderId, fails, videoId, attempt }: Started, isWorking: boolean): SandboxRendering {
  const base = { renderId, videoId, attempt };
  if (isWorking) return { ...base, status: 'working' };
  return fails
    ? { ...base, status: 'failed', error: 'The sandbox was asked to fail.', retryable: true }
    : { ...base, status: 'done', url: `https://sandbox.invalid/films/${videoId}/${renderId}.mp4` };
}

/** A render of another process; undefined: no name of ours. */
function readName(renderId: string, nowMs: number): SandboxRendering | undefined {
  const [, ending = '', how, video, attempt] = /^([0-9a-z]+)-([df])-(\d+)-(\d+)-[0-9a-f]+$/.exec(renderId) ?? [];
  if (how === undefined) return undefined;
  const endsAtMs = Number.parseInt(ending, 36);
  const render = { renderId, videoId: Number(video), attempt: Number(attempt), endsAtMs, fails: how === 'f' };
  return showRender(render, nowMs < endsAtMs);
}
