import { limits } from '../../core/limits.ts';
import { assertAbove, assertBetween, assertEqual, assertGranted, assertRefused } from '../case-assertions.ts';
import { type LeaseStoreCase, longMs, newContender } from '../case-context.ts';
import { heirOf, holdKey, joinLine, releaseHeld } from './line-steps.ts';

const theme = 'line';
const needs = ['line'] as const;
const acceptMs = 2_000;

export const lineCases: readonly LeaseStoreCase[] = [
  {
    name: 'a release grants to the first in line and tells its process the numbers and the time',
    theme,
    needs,
    async run(context) {
      const held = await holdKey(context, 'hand');
      const heir = await joinLine(context, held.key);
      assertEqual(heir.refused.inLine, true, 'standing in line');
      assertEqual(heir.refused.token, held.token, 'the number in the refusal');
      await releaseHeld(held, acceptMs);
      const notice = await heirOf(context, heir);
      assertEqual(notice.acceptMs, acceptMs, 'the time to accept');
      assertAbove(notice.token, held.token, 'the number of the heir');
      const width = notice.lastToken - notice.token;
      assertEqual(
        width === 0 || width === limits.tokenBlock - 1,
        true,
        `a block of 1 or ${limits.tokenBlock}, got ${width + 1}`,
      );
      const { store, key, owner } = heir;
      const stranger = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
      const refused = assertRefused(stranger, 'somebody else');
      assertEqual([refused.holder, refused.token], [owner, notice.lastToken], 'the holder named');
      assertBetween(refused.remainingMs, 0, acceptMs, 'the time left');
      assertEqual(
        await store.renew([{ key, owner, token: notice.lastToken, ttlMs: longMs }]),
        [true],
        'the heir renews',
      );
    },
  },
  {
    name: 'the line is served first come first served, and each process hears only of its own',
    theme,
    needs,
    async run(context) {
      const held = await holdKey(context, 'order');
      const waiters = [];
      for (let i = 0; i < 4; i++) waiters.push(await joinLine(context, held.key));
      await releaseHeld(held, acceptMs);
      let last = held.token;
      for (const waiter of waiters) {
        const notice = await heirOf(context, waiter);
        assertAbove(notice.token, last, 'the number of the next');
        last = notice.lastToken;
        await releaseHeld({ ...waiter, token: last }, acceptMs);
      }
      // Every notice came after the ones before it were sent, so by now the others would have been heard.
      for (const { probe, owner } of waiters) {
        assertEqual(
          probe.all().map((notice) => notice.owner),
          [owner],
          'everything this process heard',
        );
      }
    },
  },
  {
    name: 'asking again keeps the place and does not double it',
    theme,
    needs,
    async run(context) {
      const held = await holdKey(context, 'twice');
      const first = await joinLine(context, held.key);
      const second = await joinLine(context, held.key);
      const { store, key, owner } = first;
      const again = assertRefused(await store.acquire({ key, owner, ttlMs: longMs, line: true }), 'asking again');
      assertEqual(again.inLine, true, 'still in line');
      const polled = assertRefused(await store.acquire({ key, owner, ttlMs: longMs, line: false }), 'a mere attempt');
      assertEqual(polled.inLine, true, 'a mere attempt does not lose the place');
      const [info] = await store.list({ prefix: key, limit: 1 });
      assertEqual(info?.waiting, 2, 'how many wait');
      await releaseHeld(held, acceptMs);
      const notice = await heirOf(context, first);
      await releaseHeld({ ...first, token: notice.lastToken }, acceptMs);
      await heirOf(context, second);
    },
  },
  {
    name: 'whoever leaves is passed over',
    theme,
    needs,
    async run(context) {
      const held = await holdKey(context, 'leave');
      const [first, second] = [await joinLine(context, held.key), await joinLine(context, held.key)];
      const { store, key, owner } = first;
      assertEqual(await store.leave({ key, owner }), true, 'leaving');
      assertEqual(await store.leave({ key, owner }), false, 'leaving again');
      await releaseHeld(held, acceptMs);
      await heirOf(context, second);
      assertEqual(first.probe.all(), [], 'what the one who left heard');
    },
  },
  {
    name: 'leaving too late says so; a release without a number then gives it to the next',
    theme,
    needs,
    async run(context) {
      const held = await holdKey(context, 'late');
      const [first, second] = [await joinLine(context, held.key), await joinLine(context, held.key)];
      await releaseHeld(held, acceptMs);
      const { store, key, owner } = first;
      assertEqual(await store.leave({ key, owner }), false, 'leaving after the grant');
      assertEqual(await store.release({ key, owner, token: null, acceptMs }), true, 'the release without a number');
      await heirOf(context, second);
    },
  },
  {
    name: 'an heir that asks again has the same grant, for its full time',
    theme,
    needs,
    async run(context) {
      const held = await holdKey(context, 'poll');
      const heir = await joinLine(context, held.key);
      await releaseHeld(held, acceptMs);
      const { store, key, owner } = heir;
      const polled = assertGranted(await store.acquire({ key, owner, ttlMs: longMs, line: true }), 'the poll');
      const notice = await heirOf(context, heir);
      assertEqual(polled.lastToken, notice.lastToken, 'the number');
      const other = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
      assertBetween(assertRefused(other, 'somebody else').remainingMs, longMs / 2, longMs, 'the time left');
    },
  },
];
