import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeRender, startFakeRender } from '../../../../testing/providers/fake-render.ts';
import { loopbackServer } from '../../../../testing/providers/loopback-server.ts';
import type { RenderCallback, RenderPort } from '../../render-port.ts';
import { type ShotstackRenderOptions, shotstackRender } from './shotstack-render.ts';

let fake: FakeRender;
let render: RenderPort;

const open = (options: Partial<ShotstackRenderOptions> = {}): RenderPort =>
  shotstackRender({ apiKey: fake.apiKey, baseUrl: fake.baseUrl, timeoutMs: 1_000, ...options });

beforeEach(async () => {
  fake = await startFakeRender();
  render = open();
});
afterEach(() => fake.close());

const request = {
  videoId: 5,
  attempt: 2,
  source: { timeline: { tracks: [] }, output: { format: 'mp4' } },
  attemptToken: 'secret-of-attempt-2',
};
const unknown = { code: 'PROVIDER_UNAVAILABLE', retryable: true };

it('submits the source, and follows it to its end', async () => {
  const { renderId } = await render.submit(request);
  expect(fake.renders).toMatchObject([{ id: renderId, edit: request.source }]);
  for (const status of ['queued', 'fetching', 'rendering', 'saving'] as const) {
    fake.set(renderId, status);
    expect(await render.getStatus(renderId)).toEqual({ renderId, status: 'working' });
  }
  fake.set(renderId, 'done');
  expect(await render.getStatus(renderId)).toEqual({ renderId, status: 'done', url: expect.stringMatching(/^https:/) });
  fake.set(renderId, 'failed');
  expect(await render.getStatus(renderId)).toMatchObject({ status: 'failed', error: expect.stringContaining('asset') });
});

it('knows no other render, and asks for none that is no id', async () => {
  expect(await render.getStatus('00000000-0000-0000-0000-000000000000')).toBeUndefined();
  expect(await render.getStatus('../../admin')).toBeUndefined();
});

it.each(['drop-before', 'drop-after', 'hang-after', 'conflict', 'error', 'error-after'] as const)(
  '%s: whether it started is unknown',
  async (point) => {
    fake.faults.add({ point, method: 'POST' });
    await expect(render.submit(request)).rejects.toMatchObject(unknown);
    expect(fake.renders).toHaveLength(
      point === 'drop-after' || point === 'hang-after' || point === 'error-after' ? 1 : 0,
    );
    fake.faults.add({ point, method: 'GET' });
    await expect(render.getStatus('abc')).rejects.toMatchObject(unknown);
  },
);

it('is refused for good: a wrong source, a wrong key', async () => {
  const refused = { code: 'PROVIDER_REFUSED', retryable: false };
  await expect(render.submit({ ...request, source: { timeline: {} } })).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('timeline and output are required'),
  });
  await expect(render.submit({ ...request, source: 'film' })).rejects.toMatchObject(refused);
  await expect(open({ apiKey: 'other' }).submit(request)).rejects.toMatchObject(refused);
  await expect(open({ apiKey: 'other' }).getStatus('abc')).rejects.toMatchObject(refused);
  expect(fake.renders).toEqual([]);
});

it('does not follow a redirect with its key', async () => {
  const trap = await loopbackServer(async () => ({
    kind: 'answer',
    status: 302,
    headers: { location: `${fake.baseUrl}/edit/v1/render` },
    body: {},
  }));
  await expect(open({ baseUrl: trap.url }).submit(request)).rejects.toMatchObject(unknown);
  await trap.close();
});

describe('callbacks', () => {
  it('carry the secret of their attempt, and are read without being believed', async () => {
    const seen: (RenderCallback | undefined)[] = [];
    const receiver = await loopbackServer(async ({ query, body }) => {
      seen.push(render.readCallback({ rawBody: body, query: Object.fromEntries(query) }));
      return { kind: 'answer', status: 200, body: {} };
    });
    const { renderId } = await open({ callbackUrl: `${receiver.url}/renders` }).submit(request);
    // It says done; the status says that it is not.
    expect(await fake.callBack(renderId, { status: 'done' })).toBe(200);
    expect(seen).toEqual([{ videoId: 5, attempt: 2, attemptToken: 'secret-of-attempt-2', renderId }]);
    expect(await render.getStatus(renderId)).toMatchObject({ status: 'working' });
    // The copy to the CDN has an id of its own and says nothing about the render.
    await fake.callBack(renderId, { kind: 'copy' });
    expect(seen[1]).toBeUndefined();
    await receiver.close();
  });

  const query = { video: '5', attempt: '2', token: 'secret-of-attempt-2' };
  const rawBody = JSON.stringify({ type: 'edit', action: 'render', id: 'abc' });
  it.each([
    ['no secret', { query: { video: '5', attempt: '2' }, rawBody }],
    ['a short secret', { query: { ...query, token: 'x' }, rawBody }],
    ['no video', { query: { ...query, video: '0' }, rawBody }],
    ['no attempt', { query: { ...query, attempt: '1e3' }, rawBody }],
    ['no JSON', { query, rawBody: 'hello' }],
    ['a list', { query, rawBody: '[]' }],
    ['no id', { query, rawBody: '{"type":"edit","action":"render"}' }],
    ['a hostile id', { query, rawBody: '{"type":"edit","action":"render","id":"../x"}' }],
  ] as const)('are refused with %s', (_, callback) => {
    expect(() => render.readCallback(callback)).toThrowError(expect.objectContaining({ code: 'WEBHOOK_INVALID' }));
  });
});

it.each([
  [{ apiKey: '' }, /apiKey/],
  [{ timeoutMs: 1 }, /timeoutMs/],
])('refuses the options %j', (options, words) => {
  expect(() => open(options)).toThrow(words);
});
