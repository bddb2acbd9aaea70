import { limits } from '../../core/limits.ts';
import {
  assertAbove,
  assertBetween,
  assertEqual,
  assertGranted,
  assertRefused,
  assertThat,
} from '../case-assertions.ts';
import { acceptMs, type LeaseStoreCase, longMs, newContender } from '../case-context.ts';

const theme = 'exclusive';

export const exclusiveCases: readonly LeaseStoreCase[] = [
  {
    name: 'a free key is granted, with a block of numbers of its own',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const reply = await store.acquire({
        key: freshKey('free'),
        owner: newContender().newOwner(),
        ttlMs: longMs,
        line: false,
      });
      const { token, lastToken } = assertGranted(reply, 'a free key');
      assertThat(Number.isSafeInteger(token) && token > 0, `the number must be a positive safe integer, got ${token}`);
      const width = lastToken - token;
      assertThat(
        width === 0 || width === limits.tokenBlock - 1,
        `a block has 1 or ${limits.tokenBlock} numbers, got ${width + 1}`,
      );
    },
  },
  {
    name: 'a held key is refused and the refusal names the holder, its number and the time left',
    theme,
    async run({ openStore, freshKey }) {
      const [first, second] = await Promise.all([openStore(), openStore()]);
      const key = freshKey('held');
      const holder = newContender('holder').newOwner();
      const granted = assertGranted(
        await first.acquire({ key, owner: holder, ttlMs: longMs, line: false }),
        'the first',
      );
      const other = newContender().newOwner();
      const refused = assertRefused(
        await second.acquire({ key, owner: other, ttlMs: longMs, line: false }),
        'the second',
      );
      assertEqual(refused.holder, holder, 'the holder named');
      assertEqual(refused.token, granted.lastToken, 'the number named');
      assertBetween(refused.remainingMs, longMs / 2, longMs, 'the time left');
      assertEqual(refused.inLine, false, 'a mere attempt does not stand in line');
    },
  },
  {
    name: 'a refused attempt leaves nothing behind',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('attempt');
      const [holder, tries, next] = [newContender().newOwner(), newContender().newOwner(), newContender().newOwner()];
      const { lastToken } = assertGranted(
        await store.acquire({ key, owner: holder, ttlMs: longMs, line: false }),
        'the holder',
      );
      assertRefused(await store.acquire({ key, owner: tries, ttlMs: longMs, line: false }), 'the attempt');
      assertEqual(await store.leave({ key, owner: tries }), false, 'leaving a line it does not stand in');
      assertEqual(
        await store.release({ key, owner: tries, token: null, acceptMs }),
        false,
        'releasing what it was not given',
      );
      assertEqual(await store.release({ key, owner: holder, token: lastToken, acceptMs }), true, 'the release');
      assertGranted(await store.acquire({ key, owner: next, ttlMs: longMs, line: false }), 'the next');
    },
  },
  {
    name: 'a release frees at once, for every client',
    theme,
    async run({ openStore, freshKey }) {
      const [first, second] = await Promise.all([openStore(), openStore()]);
      const key = freshKey('release');
      let lastToken = 0;
      for (const [store, round] of [
        [first, 1],
        [second, 2],
        [first, 3],
        [second, 4],
      ] as const) {
        const owner = newContender().newOwner();
        const granted = assertGranted(
          await store.acquire({ key, owner, ttlMs: longMs, line: false }),
          `round ${round}`,
        );
        assertAbove(granted.token, lastToken, `the number of round ${round}`);
        lastToken = granted.lastToken;
        assertEqual(
          await store.release({ key, owner, token: lastToken, acceptMs }),
          true,
          `the release of round ${round}`,
        );
      }
    },
  },
  {
    name: 'keys do not know of each other',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const keys = ['a', 'b', 'c'].map(freshKey);
      for (const key of keys) {
        assertGranted(await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false }), key);
      }
    },
  },
  {
    name: 'on a key nobody ever asked for, everything says no',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('unknown');
      const owner = newContender().newOwner();
      assertEqual(await store.release({ key, owner, token: 1, acceptMs }), false, 'release');
      assertEqual(await store.release({ key, owner, token: null, acceptMs }), false, 'release without a number');
      assertEqual(await store.renew([{ key, owner, token: 1, ttlMs: longMs }]), [false], 'renew');
      assertEqual(await store.leave({ key, owner }), false, 'leave');
      assertEqual(await store.breakLease({ key, reason: 'none', by: 'case', acceptMs }), { broken: false }, 'break');
      assertEqual(await store.list({ prefix: key, limit: 10 }), [], 'list');
    },
  },
  {
    name: 'release asks for owner and number',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('owner');
      const contender = newContender();
      const owner = contender.newOwner();
      const { lastToken } = assertGranted(
        await store.acquire({ key, owner, ttlMs: longMs, line: false }),
        'the holder',
      );
      const stranger = newContender().newOwner();
      const sibling = contender.newOwner();
      assertEqual(await store.release({ key, owner: stranger, token: lastToken, acceptMs }), false, 'a stranger');
      assertEqual(
        await store.release({ key, owner: stranger, token: null, acceptMs }),
        false,
        'a stranger without a number',
      );
      assertEqual(
        await store.release({ key, owner: sibling, token: lastToken, acceptMs }),
        false,
        'the same process, another grant',
      );
      assertEqual(await store.release({ key, owner, token: lastToken - 1, acceptMs }), false, 'an older number');
      assertEqual(await store.release({ key, owner, token: lastToken + 1, acceptMs }), false, 'a later number');
      assertEqual(await store.renew([{ key, owner, token: lastToken, ttlMs: longMs }]), [true], 'it is still in force');
      assertEqual(await store.release({ key, owner, token: lastToken, acceptMs }), true, 'the holder itself');
      assertEqual(await store.release({ key, owner, token: lastToken, acceptMs }), false, 'the holder a second time');
    },
  },
  {
    name: 'a release without a number ends whatever this grant id was given',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('null');
      const owner = newContender().newOwner();
      assertGranted(await store.acquire({ key, owner, ttlMs: longMs, line: false }), 'the holder');
      assertEqual(await store.release({ key, owner, token: null, acceptMs }), true, 'the release');
      assertGranted(
        await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false }),
        'the next',
      );
    },
  },
];
