import { expect, it } from 'vitest';
import { createSourceLimit } from './source-limit.ts';

it('lets a burst pass, then a steady stream, and says when there is room again', () => {
  const limit = createSourceLimit({ perSecond: 10, burst: 100 });
  expect(limit.take('a', 100, 0)).toEqual({ ok: true });
  expect(limit.take('a', 5, 0)).toEqual({ ok: false, retryAfterMs: 500 });
  expect(limit.take('a', 5, 499)).toMatchObject({ ok: false });
  expect(limit.take('a', 5, 500)).toEqual({ ok: true });
  expect(limit.take('b', 100, 500)).toEqual({ ok: true });
  expect(limit.take('b', 60, 5_500)).toEqual({ ok: false, retryAfterMs: 1_000 });
});

it('never gains from a clock that goes back', () => {
  const limit = createSourceLimit({ perSecond: 10, burst: 10 });
  limit.take('a', 10, 1_000);
  expect(limit.take('a', 1, 0)).toMatchObject({ ok: false });
});

it('forgets the source that was quiet longest', () => {
  const limit = createSourceLimit({ perSecond: 1, burst: 1, maxSources: 2 });
  for (const source of ['a', 'b']) limit.take(source, 1, 0);
  expect(limit.take('a', 1, 0)).toMatchObject({ ok: false });
  limit.take('c', 1, 0);
  expect(limit.take('b', 1, 0)).toMatchObject({ ok: false });
  expect(limit.take('c', 1, 0)).toMatchObject({ ok: false });
  expect(limit.take('a', 1, 0)).toEqual({ ok: true });
});
