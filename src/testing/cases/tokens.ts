import { assertAbove, assertEqual, assertGranted, assertLeaseError } from '../case-assertions.ts';
import { acceptMs, type CaseContext, type LeaseStoreCase, longMs, newContender } from '../case-context.ts';
import { takeOver } from './expiry.ts';

const theme = 'numbers';

export const tokenCases: readonly LeaseStoreCase[] = [
  {
    name: 'numbers rise over releases, take-overs and breaks',
    theme,
    async run(context) {
      const { openStore, freshKey, ttlMs } = context;
      const store = await openStore();
      const key = freshKey('rise');
      let last = await grantAndRelease(context, key, 0);
      last = await grantAndRelease(context, key, last);
      const reply = await store.acquire({ key, owner: newContender().newOwner(), ttlMs, line: false });
      const ending = assertGranted(reply, 'the one that ends');
      assertAbove(ending.token, last, 'the number of the one that ends');
      const { granted } = await takeOver(context, store, key);
      assertAbove(granted.token, ending.lastToken, 'the number of the taker');
      const broken = await store.breakLease({ key, reason: 'case', by: 'case', acceptMs });
      assertEqual(broken.broken, true, 'the break');
      if (broken.broken) {
        assertAbove(broken.token, granted.lastToken, 'the number of the break');
        await grantAndRelease(context, key, broken.token);
      }
    },
  },
  {
    name: 'numbers are never below the clock, so a forgotten record cannot bring one back',
    theme,
    async run({ openStore, freshKey, clock }) {
      const store = await openStore();
      const reply = await store.acquire({
        key: freshKey('clock'),
        owner: newContender().newOwner(),
        ttlMs: longMs,
        line: false,
      });
      // The store's clock may differ from ours, but not by a year.
      assertAbove(
        assertGranted(reply, 'a new key').token,
        (clock.wallMs() - 366 * 86_400_000) * 1000,
        'the number in microseconds',
      );
    },
  },
  {
    name: 'numbers rise when the record of an idle key was swept',
    theme,
    uses: 'forget',
    async run(context) {
      const key = context.freshKey('sweep');
      const last = await grantAndRelease(context, key, 0);
      await context.forget?.(key);
      await grantAndRelease(context, key, last);
    },
  },
  {
    name: 'after a restart the holder still holds, and numbers still rise',
    theme,
    needs: ['durable'],
    uses: 'restart',
    async run(context) {
      const { openStore, freshKey } = context;
      const [heldKey, freeKey, goneKey] = [freshKey('held'), freshKey('free'), freshKey('gone')];
      const before = await openStore();
      const owner = newContender().newOwner();
      const reply = await before.acquire({ key: heldKey, owner, ttlMs: longMs, line: false });
      const { lastToken: token } = assertGranted(reply, 'the holder');
      const freed = await grantAndRelease(context, freeKey, 0);
      const broken = await breakOne(context, goneKey);
      await context.restart?.();
      const after = await openStore();
      const other = newContender().newOwner();
      const refused = await after.acquire({ key: heldKey, owner: other, ttlMs: longMs, line: false });
      assertEqual(!refused.granted && refused.holder, owner, 'the holder named after the restart');
      assertEqual(await after.renew([{ key: heldKey, owner, token, ttlMs: longMs }]), [true], 'the holder renews');
      assertEqual(await after.release({ key: heldKey, owner, token, acceptMs }), true, 'the holder releases');
      await grantAndRelease(context, heldKey, token);
      await grantAndRelease(context, freeKey, freed);
      await grantAndRelease(context, goneKey, broken);
    },
  },
  {
    name: 'after a restart a fence stands where it stood',
    theme,
    needs: ['durable', 'fences'],
    uses: 'restart',
    async run({ openStore, freshKey, restart }) {
      const resource = freshKey('fence');
      const before = await openStore();
      assertEqual(await before.claim({ resource, token: 500 }), { claimed: true, token: 500 }, 'the claim');
      await restart?.();
      const after = await openStore();
      assertEqual(await after.claim({ resource, token: 499 }), { claimed: false, token: 500 }, 'an older claim');
      assertEqual(await after.claim({ resource, token: 501 }), { claimed: true, token: 501 }, 'a newer claim');
    },
  },
  {
    name: 'closing a client frees nothing; a closed client says so',
    theme,
    needs: ['durable'],
    async run({ openStore, freshKey }) {
      const key = freshKey('close');
      const first = await openStore();
      const owner = newContender().newOwner();
      assertGranted(await first.acquire({ key, owner, ttlMs: longMs, line: false }), 'the holder');
      await first.close();
      await first.close();
      await assertLeaseError(first.acquire({ key, owner, ttlMs: longMs, line: false }), 'closed', 'a closed client');
      const second = await openStore();
      const refused = await second.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
      assertEqual(!refused.granted && refused.holder, owner, 'the holder named');
    },
  },
];

async function grantAndRelease({ openStore }: CaseContext, key: string, above: number): Promise<number> {
  const store = await openStore();
  const owner = newContender().newOwner();
  const { token, lastToken } = assertGranted(
    await store.acquire({ key, owner, ttlMs: longMs, line: false }),
    `"${key}"`,
  );
  assertAbove(token, above, `the number of "${key}"`);
  assertEqual(await store.release({ key, owner, token: lastToken, acceptMs }), true, 'the release');
  return lastToken;
}

async function breakOne({ openStore }: CaseContext, key: string): Promise<number> {
  const store = await openStore();
  assertGranted(await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false }), `"${key}"`);
  const reply = await store.breakLease({ key, reason: 'case', by: 'case', acceptMs });
  return reply.broken ? reply.token : Number.POSITIVE_INFINITY;
}
