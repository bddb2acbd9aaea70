/**
 * Deliberately broken variants of single rules. The simulation must find every one of them: a checker that has never
 * caught a planted bug proves nothing. Most are the failing variants of test/models/lease.mjs.
 */
import { processOf } from '../../src/core/grant-id.ts';
import {
  type AcquireDecision,
  decideAcquire,
  decideClaim,
  decideRelease,
  decideRenew,
  type LeaseRecord,
} from '../../src/core/lease.ts';
import type { Plant } from './lease-scenario.ts';

export interface PlantedBug {
  readonly name: string;
  readonly plant: Plant;
}

const forgetFence = (fence: number | undefined, token: number): { claimed: boolean; token: number } => ({
  claimed: true,
  token: Math.max(fence ?? 0, token),
});

/** Gives the numbers of a grant another value, in the answer and in the record. */
function renumber(
  decision: AcquireDecision,
  record: LeaseRecord,
  numbers: (granted: { token: number; lastToken: number }) => { token: number; lastToken: number; kept: number },
): AcquireDecision {
  const renewed = record.holders.some((holder) =>
    decision.record.holders.some((now) => now.token === holder.token && now.owner === holder.owner),
  );
  if (!decision.granted || renewed) return decision;
  const { token, lastToken, kept } = numbers(decision.numbers);
  const holders = decision.record.holders.map((holder) => ({ ...holder, token: lastToken }));
  return { ...decision, numbers: { token, lastToken }, record: { ...decision.record, token: kept, holders } };
}

export const plantedBugs: readonly PlantedBug[] = [
  { name: 'no fence at all', plant: { fence: 'none' } },
  { name: 'a fence checked on write only', plant: { fence: 'on-write-only' } },
  { name: 'a fence that can be lowered', plant: { rules: { decideClaim: forgetFence } } },
  {
    name: 'a fence that is off by a block',
    plant: {
      rules: {
        decideClaim: (fence, token) =>
          token + 64 > (fence ?? 0) ? { claimed: true, token } : decideClaim(fence, token),
      },
    },
  },
  {
    name: 'a notice dated by its arrival',
    plant: { rules: { dateNotice: (_refusal, _token, arrivedMs) => arrivedMs } },
  },
  {
    name: 'a notice dated by the newest attempt, refusal not compared',
    plant: { rules: { dateNotice: (refusal) => refusal?.sentMs } },
  },
  {
    name: 'the client’s clock judges expiry',
    plant: {
      rulesFor: (server) => ({
        decideAcquire: (record, input, nowUs) =>
          decideAcquire(record, input, server.caller ? server.caller.clock.wallMs() * 1000 : nowUs),
      }),
    },
  },
  {
    name: 'expiry judged a little early (< for <=)',
    plant: { rules: { decideAcquire: (record, input, nowUs) => decideAcquire(record, input, nowUs + 40_000) } },
  },
  {
    name: 'a renewal that shortens',
    plant: {
      rules: {
        decideRenew(record, input, nowUs) {
          const renewed = decideRenew(record, input, nowUs);
          if (!renewed) return undefined;
          const endUs = nowUs + input.ttlMs * 1000;
          return {
            ...renewed,
            holders: renewed.holders.map((holder) => (holder.owner === input.owner ? { ...holder, endUs } : holder)),
          };
        },
      },
    },
  },
  {
    name: 'a renewal that revives',
    plant: { rules: { decideRenew: (record, input, nowUs) => decideRenew(record, input, nowUs - 500_000) } },
  },
  {
    name: 'release without an owner check',
    plant: {
      rules: {
        decideRelease(record, input, nowUs) {
          const holder = record.holders[0];
          return holder && decideRelease(record, { ...input, owner: holder.owner, token: null }, nowUs);
        },
      },
    },
  },
  {
    name: 'renew matched by process instead of grant',
    plant: {
      rules: {
        decideRenew(record, input, nowUs) {
          const mine = record.holders.find((holder) => processOf(holder.owner) === processOf(input.owner));
          return mine && decideRenew(record, { ...input, owner: mine.owner, token: mine.token }, nowUs);
        },
      },
    },
  },
  {
    name: 'the same grant id again, end not extended',
    plant: {
      rules: {
        decideAcquire(record, input, nowUs) {
          const decision = decideAcquire(record, input, nowUs);
          const mine = record.holders.find((holder) => holder.owner === input.owner);
          return decision.granted && mine ? { ...decision, record } : decision;
        },
      },
    },
  },
  {
    name: 'a hand-over that keeps the token',
    plant: { rules: { nextInBlock: (token) => token } },
  },
  {
    name: 'the record keeps the first number of the block',
    plant: {
      rules: {
        decideAcquire: (record, input, nowUs) =>
          renumber(decideAcquire(record, input, nowUs), record, ({ token, lastToken }) => ({
            token,
            lastToken,
            kept: token,
          })),
      },
    },
  },
  {
    name: 'a plain counter token over a lost record',
    plant: {
      rules: {
        decideAcquire: (record, input, nowUs) =>
          renumber(decideAcquire(record, input, nowUs), record, () => ({
            token: record.token + 1,
            lastToken: record.token + 1,
            kept: record.token + 1,
          })),
        decideRelease(record, input, nowUs) {
          const decision = decideRelease(record, input, nowUs);
          const [heir] = decision?.heirs ?? [];
          if (!decision || !heir) return decision;
          const token = record.token + 1;
          const holders = decision.record.holders.map((holder) => ({ ...holder, token }));
          return { record: { ...decision.record, token, holders }, heirs: [{ ...heir, token, lastToken: token }] };
        },
      },
    },
  },
];
