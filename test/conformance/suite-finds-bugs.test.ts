import { describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { type LeaseRules, leaseRules } from '../../src/core/lease.ts';
import type { LeaseStore, Notice } from '../../src/core/ports.ts';
import { memoryStore } from '../../src/stores/memory/memory-store.ts';
import type { CaseContext } from '../../src/testing/case-context.ts';
import { leaseStoreCases } from '../../src/testing/lease-store-cases.ts';

const { decideAcquire, decideBreak, decideRelease, decideRenew } = leaseRules;

/** A store with one thing wrong with it, and the theme whose cases must notice. */
interface PlantedBug {
  readonly theme: string;
  readonly rules?: Partial<LeaseRules>;
  readonly change?: (store: LeaseStore) => Partial<LeaseStore>;
}

const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'grants what is held': {
    theme: 'at once',
    rules: { decideAcquire: (record, input, nowUs) => decideAcquire({ ...record, holders: [] }, input, nowUs) },
  },
  'releases for anybody': {
    theme: 'exclusive',
    rules: {
      decideRelease: (record, input, nowUs) =>
        decideRelease(record, { ...input, owner: record.holders[0]?.owner ?? '' }, nowUs),
    },
  },
  'releases whatever the number': {
    theme: 'exclusive',
    rules: { decideRelease: (record, input, nowUs) => decideRelease(record, { ...input, token: null }, nowUs) },
  },
  'renews whatever the number': {
    theme: 'renewal',
    rules: {
      decideRenew: (record, input, nowUs) =>
        decideRenew(record, { ...input, token: record.holders[0]?.token ?? 0 }, nowUs),
    },
  },
  'renews what has ended': {
    theme: 'expiry',
    rules: { decideRenew: (record, input) => decideRenew(record, input, 0) },
  },
  'shortens by a renewal': {
    theme: 'renewal',
    rules: {
      decideRenew: (record, input, nowUs) => {
        const renewed = decideRenew(record, input, nowUs);
        const endUs = nowUs + input.ttlMs * 1000;
        return renewed && { ...renewed, holders: renewed.holders.map((holder) => ({ ...holder, endUs })) };
      },
    },
  },
  'gives a new number for the same grant id': {
    theme: 'renewal',
    rules: {
      decideAcquire(record, input, nowUs) {
        const others = record.holders.filter(({ owner }) => owner !== input.owner);
        return decideAcquire({ ...record, holders: others }, input, nowUs);
      },
    },
  },
  'does not extend the same grant': {
    theme: 'renewal',
    rules: {
      decideAcquire(record, input, nowUs) {
        const again = record.holders.some(({ owner }) => owner === input.owner);
        return decideAcquire(record, again ? { ...input, ttlMs: 1 } : input, nowUs);
      },
    },
  },
  'grants before the end': {
    theme: 'expiry',
    rules: { decideAcquire: (record, input, nowUs) => decideAcquire(record, input, nowUs + 100_000) },
  },
  'never ends a lease': {
    theme: 'expiry',
    rules: { decideAcquire: (record, input) => decideAcquire(record, input, 0) },
  },
  'counts plainly from one': {
    theme: 'numbers',
    rules: { decideAcquire: (record, input, nowUs) => shiftNumbers(decideAcquire(record, input, nowUs)) },
  },
  'keeps the number when it breaks': {
    theme: 'break',
    rules: {
      decideBreak(record, acceptMs, nowUs) {
        const decision = decideBreak(record, acceptMs, nowUs);
        return decision && { ...decision, record: { ...decision.record, token: record.token } };
      },
    },
  },
  'serves the line from its end': {
    theme: 'line',
    rules: {
      decideRelease: (record, input, nowUs) =>
        decideRelease({ ...record, line: [...record.line].reverse() }, input, nowUs),
    },
  },
  'forgets the line': {
    theme: 'line',
    rules: { decideRelease: (record, input, nowUs) => decideRelease({ ...record, line: [] }, input, nowUs) },
  },
  'lets everybody stand in line': {
    theme: 'line',
    rules: {
      decideAcquire(record, input, nowUs) {
        const decision = decideAcquire({ ...record, line: [] }, input, nowUs);
        const line = decision.granted ? record.line : [...record.line, ...decision.record.line];
        return { ...decision, record: { ...decision.record, line } };
      },
    },
  },
  'lets readers overtake': {
    theme: 'shares',
    rules: {
      decideAcquire(record, input, nowUs) {
        const decision = decideAcquire(input.share ? { ...record, line: [] } : record, input, nowUs);
        return decision.granted
          ? { ...decision, record: { ...decision.record, line: record.line } }
          : decideAcquire(record, input, nowUs);
      },
    },
  },
  'counts no weight': {
    theme: 'shares',
    rules: {
      decideAcquire(record, input, nowUs) {
        const share = input.share && { ...input.share, weight: 1 };
        return decideAcquire(record, share ? { ...input, share } : input, nowUs);
      },
    },
  },
  'grants several keys in part': {
    theme: 'several keys',
    change: (store) => ({
      async acquireAll({ keys, owner, ttlMs }) {
        const tokens = [];
        for (const key of keys) {
          const reply = await store.acquire({ key, owner, ttlMs, line: false });
          if (!reply.granted) return { granted: false, key };
          tokens.push({ key, token: reply.token, lastToken: reply.lastToken });
        }
        return { granted: true, tokens };
      },
    }),
  },
  'lowers fences': {
    theme: 'fences',
    rules: { decideClaim: (_fence, token) => ({ claimed: true, token }) },
  },
  'refuses the same number at a fence': {
    theme: 'fences',
    rules: {
      decideClaim: (fence = 0, token) => (token > fence ? { claimed: true, token } : { claimed: false, token: fence }),
    },
  },
  'shows what has ended': {
    theme: 'listing',
    change: (store) => ({
      list: async (request) => [
        ...(await store.list(request)),
        ...(request.prefix?.endsWith('gone')
          ? [{ key: request.prefix, owner: 'x', token: 1, remainingMs: 1, waiting: 0 }]
          : []),
      ],
    }),
  },
  'begins every page anew': {
    theme: 'listing',
    change: (store) => ({
      list: ({ after: _, ...request }) => store.list(request),
    }),
  },
  'a page begins with the next key': {
    theme: 'listing',
    change: (store) => ({
      list: async ({ after, limit, ...request }) =>
        (await store.list({ ...request, limit: 1_000 })).filter(({ key }) => key > (after?.key ?? '')).slice(0, limit),
    }),
  },
  'takes a prefix for a pattern': {
    theme: 'listing',
    change: (store) => ({
      async list({ prefix = '', limit }) {
        const pattern = new RegExp(`^${prefix.replaceAll('%', '.*').replaceAll('_', '.').replaceAll('\\', '')}`);
        return (await store.list({ limit: 1_000 })).filter(({ key }) => pattern.test(key)).slice(0, limit);
      },
    }),
  },
  'does not tell the cases of letters apart': {
    theme: 'unusual keys',
    change: (store) => ({ acquire: (request) => store.acquire({ ...request, key: request.key.toLowerCase() }) }),
  },
  'cuts long keys': {
    theme: 'unusual keys',
    change: (store) => ({ acquire: (request) => store.acquire({ ...request, key: request.key.slice(0, 100) }) }),
  },
  'answers renewals in another order': {
    theme: 'renewal',
    change: (store) => ({ renew: async (requests) => [...(await store.renew(requests))].reverse() }),
  },
  'explains every loss the same way': {
    theme: 'break',
    change: () => ({ explainLoss: async () => ({ kind: 'expired' }) }),
  },
};

describe('the conformance suite notices a store that', () => {
  it('is right: no case fails', async () => {
    expect(await failuresOf(memoryStore())).toEqual([]);
  });

  for (const [name, bug] of Object.entries(plantedBugs)) {
    it.concurrent(name, async () => {
      const store = memoryStore({ rules: { ...leaseRules, ...bug.rules } });
      const failures = await failuresOf({ ...store, ...bug.change?.(store) }, bug.theme);
      expect(failures.length).toBeGreaterThan(0);
    });
  }

  it.concurrent('tells everybody of everything', async () => {
    const store = memoryStore();
    const everybody = new Set<(notice: Notice) => void>();
    const loud: LeaseStore = {
      ...store,
      async subscribe(process, onNotice) {
        everybody.add(onNotice);
        return store.subscribe(process, (notice) => {
          for (const hear of everybody) hear(notice);
        });
      },
    };
    expect((await failuresOf(loud, 'line')).length).toBeGreaterThan(0);
    expect((await failuresOf(loud, 'break')).length).toBeGreaterThan(0);
  });
});

/** Names of the cases that this store fails. */
async function failuresOf(store: LeaseStore, theme?: string): Promise<readonly string[]> {
  const cases = leaseStoreCases.filter((one) => !one.uses && !one.needs?.includes('durable'));
  const chosen = theme === undefined ? cases : cases.filter((one) => one.theme === theme);
  expect(chosen.length, `cases of ${theme}`).toBeGreaterThan(0);
  const outcomes = await Promise.all(
    chosen.map(({ name, run }) =>
      run(contextOf(store)).then(
        () => undefined,
        () => name,
      ),
    ),
  );
  return outcomes.filter((name) => name !== undefined);
}

function contextOf(store: LeaseStore): CaseContext {
  const prefix = platform.random.hex(6);
  let keys = 0;
  return {
    openStore: async () => store,
    clock: platform.clock,
    freshKey: (hint) => `${prefix}/${++keys}/${hint}`,
    ttlMs: 300,
  };
}

/** Numbers as a plain counter would give them. */
function shiftNumbers<T extends ReturnType<typeof decideAcquire>>(decision: T): T {
  if (!decision.granted) return decision;
  const by = decision.numbers.token - 1;
  const numbers = { token: 1, lastToken: decision.numbers.lastToken - by };
  const holders = decision.record.holders.map((holder) => ({ ...holder, token: holder.token - by }));
  return { ...decision, numbers, record: { ...decision.record, token: numbers.lastToken, holders } };
}
