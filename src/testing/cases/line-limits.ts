import { limits } from '../../core/limits.ts';
import { assertAbove, assertEqual, assertGranted, assertRefused } from '../case-assertions.ts';
import { type CaseContext, type LeaseStoreCase, longMs, newContender, onTime, pause } from '../case-context.ts';
import { heirOf, holdKey, joinLine, releaseHeld } from './line-steps.ts';

const theme = 'line';
const needs = ['line'] as const;
const acceptMs = 2_000;

/** Where standing in line ends: heirs that sleep, leases that end, lines that are full, listeners that leave. */
export const lineLimitCases: readonly LeaseStoreCase[] = [
  {
    name: 'an heir that does nothing loses it after the time to accept',
    theme,
    needs,
    run: (context) => letHeirSleep(context),
  },
  {
    name: 'after an end whoever asks first wins, and the others keep their places',
    theme,
    needs,
    // Whoever stands in line must do so before the lease ends.
    run: (context) => onTime(context.clock, (slowly * context.ttlMs) / 2, (took) => overtakeAfterEnd(context, took)),
  },
  {
    name: `at most ${limits.lineMax} stand in line; the rest are told to ask again`,
    theme,
    needs,
    async run(context) {
      const { key } = await holdKey(context, 'cap');
      const store = await context.openStore();
      const contender = newContender();
      const join = async (): Promise<boolean> => {
        const reply = await store.acquire({ key, owner: contender.newOwner(), ttlMs: longMs, line: true });
        return assertRefused(reply, 'a waiter').inLine;
      };
      let standing = 0;
      for (let round = 0; round < 9; round++) {
        const joined = await Promise.all(Array.from({ length: 30 }, join));
        standing += joined.filter(Boolean).length;
      }
      assertEqual(standing, limits.lineMax, 'how many of 270 stand in line');
    },
  },
  {
    name: 'a closed subscription hears nothing and says that it is closed',
    theme,
    needs,
    async run(context) {
      const held = await holdKey(context, 'unsubscribe');
      const [first, second] = [await joinLine(context, held.key), await joinLine(context, held.key)];
      assertEqual(first.subscription.isLive(), true, 'alive before');
      await first.subscription.close();
      await first.subscription.close();
      assertEqual(first.subscription.isLive(), false, 'alive after');
      await releaseHeld(held, acceptMs);
      const { store, key, owner } = first;
      assertEqual(await store.release({ key, owner, token: null, acceptMs }), true, 'the heir gives it on');
      await heirOf(context, second);
      assertEqual(first.probe.all(), [], 'what the closed one heard');
    },
  },
];

/** Two subscriptions must stand before the lease ends, and a busy machine opens them slowly. */
const slowly = 4;

async function overtakeAfterEnd(context: CaseContext, took: (ms: number) => void): Promise<void> {
  const { clock } = context;
  const ttlMs = slowly * context.ttlMs;
  const startedMs = clock.monotonicMs();
  const held = await holdKey(context, 'end', ttlMs);
  const joined = joinLine(context, held.key).then(async (first) => [first, await joinLine(context, held.key)] as const);
  const [first, second] = await joined.finally(() => took(clock.monotonicMs() - startedMs));
  // Nothing tells when a lease has ended, so only time can.
  await pause(clock, ttlMs + 10);
  const { store, key, owner } = second;
  const polled = assertGranted(await store.acquire({ key, owner, ttlMs: longMs, line: true }), 'the second in line');
  await releaseHeld({ ...second, token: polled.lastToken }, acceptMs);
  await heirOf(context, first);
}

async function letHeirSleep(context: CaseContext): Promise<void> {
  const { clock, ttlMs } = context;
  const held = await holdKey(context, 'sleep');
  const heir = await joinLine(context, held.key);
  await releaseHeld(held, ttlMs);
  const notice = await heirOf(context, heir);
  await pause(clock, ttlMs + 10);
  const { store, key, owner } = heir;
  assertEqual(
    await store.renew([{ key, owner, token: notice.lastToken, ttlMs: longMs }]),
    [false],
    'the heir renews too late',
  );
  const next = await store.acquire({ key, owner: newContender().newOwner(), ttlMs: longMs, line: false });
  assertAbove(assertGranted(next, 'the next').token, notice.lastToken, 'the next number');
}
