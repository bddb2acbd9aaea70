import type { AcquireReply, LeaseStore } from '../../core/ports.ts';
import { assertAbove, assertEqual, assertGranted, assertRefused } from '../case-assertions.ts';
import { acceptMs, type CaseContext, type LeaseStoreCase, longMs, newContender, pause } from '../case-context.ts';
import { heirOf, holdKey, joinLineOrTake, releaseHeld } from './line-steps.ts';

const theme = 'at once';

export const concurrencyCases: readonly LeaseStoreCase[] = [
  {
    name: 'two at once: one is granted, the other is told by whom',
    theme,
    async run({ openStore, freshKey }) {
      const stores = await Promise.all([openStore(), openStore()]);
      for (let round = 0; round < 20; round++) {
        const key = freshKey(`two${round}`);
        const owners = stores.map(() => newContender().newOwner());
        const replies = await askAtOnce(stores, key, owners);
        const winner = owners[oneWinner(replies)];
        for (const reply of replies)
          if (!reply.granted && reply.holder !== undefined) assertEqual(reply.holder, winner, 'the holder named');
      }
    },
  },
  {
    name: 'fifty at once: one is granted',
    theme,
    async run({ openStore, freshKey }) {
      const stores = await Promise.all(Array.from({ length: 5 }, openStore));
      const owners = Array.from({ length: 50 }, () => newContender().newOwner());
      oneWinner(await askAtOnce(stores, freshKey('fifty'), owners));
    },
  },
  {
    name: 'fifty at once for a lease that has ended: one is granted, with a higher number',
    theme,
    async run(context) {
      const { openStore, clock, ttlMs } = context;
      const stores = await Promise.all(Array.from({ length: 5 }, openStore));
      const { key, token, owner, store } = await holdKey(context, 'ended', ttlMs);
      // Nothing tells when a lease has ended, so only time can.
      await pause(clock, ttlMs + 10);
      const owners = Array.from({ length: 50 }, () => newContender().newOwner());
      const replies = await askAtOnce(stores, key, owners);
      const winner = replies[oneWinner(replies)];
      assertAbove(winner?.token ?? 0, token, 'the number');
      assertEqual(await store.release({ key, owner, token, acceptMs }), false, 'the old holder releases');
    },
  },
  {
    name: 'four clients in turn: a counter loses no step and every number is new',
    theme,
    async run({ openStore, freshKey, clock }) {
      const stores = await Promise.all(Array.from({ length: 4 }, openStore));
      const key = freshKey('counter');
      const tokens: number[] = [];
      let counter = 0;
      await Promise.all(
        stores.map(async (store) => {
          for (let steps = 0; steps < 10; ) {
            const owner = newContender().newOwner();
            const reply = await store.acquire({ key, owner, ttlMs: longMs, line: false });
            if (!reply.granted) {
              // Whoever asks again at once only makes the holder slower.
              await pause(clock, 2);
              continue;
            }
            const read = counter;
            assertEqual(await store.renew([{ key, owner, token: reply.lastToken, ttlMs: longMs }]), [true], 'renewed');
            counter = read + 1;
            tokens.push(reply.token);
            steps += 1;
            assertEqual(await store.release({ key, owner, token: reply.lastToken, acceptMs }), true, 'released');
          }
        }),
      );
      assertEqual(counter, 40, 'the counter');
      for (const [i, token] of tokens.entries()) if (i > 0) assertAbove(token, tokens[i - 1] ?? 0, `number ${i}`);
    },
  },
  {
    name: 'the same grant id twice at once is one grant',
    theme,
    async run({ openStore, freshKey }) {
      const stores = await Promise.all([openStore(), openStore()]);
      for (let round = 0; round < 10; round++) {
        const key = freshKey(`same${round}`);
        const owner = newContender().newOwner();
        const replies = await askAtOnce(stores, key, [owner, owner]);
        const [first, second] = replies.map((reply) => assertGranted(reply, 'both requests'));
        assertEqual(first?.lastToken, second?.lastToken, 'the number of the grant');
        const token = first?.lastToken ?? 0;
        const renewed = await Promise.all(stores.map((store) => store.renew([{ key, owner, token, ttlMs: longMs }])));
        assertEqual(renewed, [[true], [true]], 'two renewals at once');
        const released = await Promise.all(stores.map((store) => store.release({ key, owner, token, acceptMs })));
        // Both may say that it is over, for both asked for the same; a later one finds nothing.
        assertEqual(released.includes(true), true, 'one of two releases ended it');
        assertEqual(await stores[0].release({ key, owner, token, acceptMs }), false, 'a third release');
      }
    },
  },
  {
    name: 'a release and a newcomer at once: the newcomer is granted or told, never forgotten',
    theme,
    needs: ['line'],
    run: (context) => releaseAgainstNewcomer(context),
  },
];

function askAtOnce(
  stores: readonly LeaseStore[],
  key: string,
  owners: readonly string[],
): Promise<readonly AcquireReply[]> {
  return Promise.all(
    owners.map((owner, i) =>
      (stores[i % stores.length] as LeaseStore).acquire({ key, owner, ttlMs: longMs, line: false }),
    ),
  );
}

/** Where the only grant is. */
function oneWinner(replies: readonly AcquireReply[]): number {
  assertEqual(replies.filter((reply) => reply.granted).length, 1, `how many of ${replies.length} were granted`);
  for (const reply of replies)
    if (!reply.granted) assertEqual(assertRefused(reply, 'the others').inLine, false, 'in line');
  return replies.findIndex((reply) => reply.granted);
}

async function releaseAgainstNewcomer(context: CaseContext): Promise<void> {
  const rounds = Array.from({ length: 20 }, async (_, round) => {
    const held = await holdKey(context, `newcomer${round}`);
    const [waiting] = await Promise.all([joinLineOrTake(context, held.key), releaseHeld(held, acceptMs)]);
    if (!waiting.granted) await heirOf(context, waiting);
  });
  await Promise.all(rounds);
}
