import { limits } from '../../core/limits.ts';
import { assertEqual, assertGranted, assertRefused } from '../case-assertions.ts';
import { acceptMs, type LeaseStoreCase, longMs, newContender } from '../case-context.ts';

const theme = 'unusual keys';

/** Each is put behind a fresh key, so that cases do not meet; as the last part it is what a user may well write. */
const unusual: readonly string[] = [
  'Case',
  'case',
  'CASE',
  ' leading and trailing space ',
  '/slash//',
  '/../../etc/passwd',
  '/.',
  'back\\slash',
  "quote'; drop table leases; --",
  '"double"',
  '%s %d $1 $(key) `key`',
  'a%b_c*?[d]',
  'é composed',
  'e\u0301 composed',
  '閂 かんぬき',
  '🔒👩‍👩‍👧‍👦',
  'ß',
  'SS',
  'İ',
  '\u202eright to left',
  '\u00a0\u2028',
  '__proto__',
  'constructor',
  'null',
  'CON',
  'name.lease',
  'colon:pipe|less<more>',
];

export const unusualKeyCases: readonly LeaseStoreCase[] = [
  {
    name: 'keys are compared character by character: every unusual key is a key of its own',
    theme,
    async run({ openStore, freshKey }) {
      const [first, second] = await Promise.all([openStore(), openStore()]);
      const prefix = freshKey('unusual');
      const owner = newContender().newOwner();
      const held = new Map<string, number>();
      for (const suffix of unusual) {
        const key = prefix + suffix;
        const reply = assertGranted(
          await first.acquire({ key, owner, ttlMs: longMs, line: false }),
          JSON.stringify(key),
        );
        held.set(key, reply.lastToken);
      }
      const listed = await second.list({ prefix, limit: 100 });
      assertEqual(listed.map(({ key }) => key).sort(), [...held.keys()].sort(), 'the list');
      const requests = [...held].map(([key, token]) => ({ key, owner, token, ttlMs: longMs }));
      assertEqual(
        await second.renew(requests),
        requests.map(() => true),
        'the renewals',
      );
      for (const [key, token] of held) {
        const other = await second.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
        assertEqual(assertRefused(other, JSON.stringify(key)).holder, owner, `the holder of ${JSON.stringify(key)}`);
        assertEqual(await second.release({ key, owner, token, acceptMs }), true, `releasing ${JSON.stringify(key)}`);
      }
    },
  },
  {
    name: `keys of ${limits.keyBytesMax} bytes that differ only at the end are two keys`,
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const start = freshKey('long');
      for (const [letter, bytes] of [
        ['k', 1],
        ['閂', 3],
        ['🔒', 4],
      ] as const) {
        const long = start + letter.repeat(Math.floor((limits.keyBytesMax - start.length - 1) / bytes));
        for (const end of ['a', 'b']) {
          const key = long + end;
          const reply = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
          assertGranted(reply, `a key of ${letter} ending in ${end}`);
          const again = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
          assertRefused(again, `the same key of ${letter} ending in ${end}`);
        }
      }
    },
  },
  {
    name: 'unusual names work for fences',
    theme,
    needs: ['fences'],
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const prefix = freshKey('resource');
      for (const [i, suffix] of unusual.entries()) {
        const resource = prefix + suffix;
        assertEqual(
          await store.claim({ resource, token: i + 1 }),
          { claimed: true, token: i + 1 },
          JSON.stringify(resource),
        );
        assertEqual(
          await store.claim({ resource, token: i }),
          { claimed: false, token: i + 1 },
          JSON.stringify(resource),
        );
      }
    },
  },
  {
    name: 'the longest process name is kept whole',
    theme,
    async run({ openStore, freshKey }) {
      const store = await openStore();
      const key = freshKey('name');
      const owner = newContender('n'.repeat(limits.processNameMax)).newOwner();
      assertGranted(await store.acquire({ key, owner, ttlMs: longMs, line: false }), 'the holder');
      const refused = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
      assertEqual(assertRefused(refused, 'somebody else').holder, owner, 'the holder named');
    },
  },
];
