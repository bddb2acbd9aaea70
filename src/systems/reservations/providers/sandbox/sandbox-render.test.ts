import { expect, it } from 'vitest';
import { fakeClock } from '../../../../testing/fake-clock.ts';
import type { RenderCallback } from '../../render-port.ts';
import { sandboxRender } from './sandbox-render.ts';

const attempt = { videoId: 5, attempt: 1, source: {}, attemptToken: 'a-secret-of-this-attempt' };

function renderer(copies = 1) {
  const clock = fakeClock();
  const callbacks: (RenderCallback | undefined)[] = [];
  const render = sandboxRender({
    clock,
    copies,
    callbackUrl: 'http://shop.example/renders',
    async send(request) {
      const query = Object.fromEntries(new URL(request.url).searchParams);
      callbacks.push(render.readCallback({ rawBody: await request.text(), query }));
      return new Response();
    },
  });
  return { clock, callbacks, render };
}

it('works, is done, and says so', async () => {
  const { clock, callbacks, render } = renderer(2);
  const { renderId } = await render.submit(attempt);
  expect(await render.getStatus(renderId)).toMatchObject({ status: 'working' });
  await clock.advance(2_000);
  expect(await render.getStatus(renderId)).toMatchObject({ status: 'done', url: expect.stringContaining('.mp4') });
  const { source: _, ...named } = attempt;
  expect(callbacks).toEqual([
    { ...named, renderId },
    { ...named, renderId },
  ]);
});

it('fails, refuses and loses answers when told to', async () => {
  const { clock, render } = renderer();
  render.failNext(1, 'fails');
  render.failNext(1, 'refused');
  render.failNext(1, 'no-answer');
  const { renderId } = await render.submit(attempt);
  await clock.advance(2_000);
  expect(await render.getStatus(renderId)).toMatchObject({ status: 'failed', retryable: true });
  await expect(render.submit({ ...attempt, attempt: 2 })).rejects.toMatchObject({ code: 'PROVIDER_REFUSED' });
  await expect(render.submit({ ...attempt, attempt: 3 })).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  // Started all the same: nobody knows its id until it calls back.
  expect(render.renders.map((started) => started.attempt)).toEqual([1, 3]);
  render.close();
  expect(clock.pendingTimers()).toBe(0);
});

it('knows no other render', async () => {
  expect(await renderer().render.getStatus('unknown')).toBeUndefined();
});
