import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { LeaseStore } from '../../src/core/ports.ts';
import type { CaseContext, StoreCase } from '../../src/testing/case-context.ts';
import { leaseKeeperCases } from '../../src/testing/lease-keeper-cases.ts';
import type { LeaseOperation } from '../../src/testing/lease-operation.ts';
import { leaseStoreCases } from '../../src/testing/lease-store-cases.ts';
import { checkHistory } from '../../src/testing/linearizability.ts';
import { recordHistory } from '../../src/testing/record-history.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { reportComponent } from '../servers/report-component.ts';

/** A real store, up and running. */
export interface StoreUnderTest {
  /** As the report names it: "PostgreSQL 18.4". */
  readonly component: string;
  /** Another client of the same data. */
  openStore(): Promise<LeaseStore>;
  restart?(): Promise<void>;
  forget?(key: string): Promise<void>;
  close(): Promise<void>;
}

/** A component that cannot take part here. */
export interface Skipped {
  readonly component: string;
  readonly reason: string;
  /** Installing something would help: then a skip is a failure in continuous integration. */
  readonly avoidable: boolean;
}

/**
 * Runs every case on one store, and checks a concurrent history of it. `retry`: for a server that is starved on a busy
 * machine without our noticing, so that short leases end early. A store that breaks a rule breaks it every time.
 */
export function runConformance(
  name: string,
  start: () => Promise<StoreUnderTest | Skipped>,
  { retry = 0 }: { readonly retry?: number } = {},
): void {
  describe(name, { retry }, () => {
    let started: StoreUnderTest | Skipped | undefined;

    beforeAll(async () => {
      started = await start();
      const { component } = started;
      if ('reason' in started) {
        const { reason, avoidable } = started;
        reportComponent({ component, status: 'skipped', reason, avoidable });
      } else {
        reportComponent({ component, status: 'took part' });
      }
    });
    afterAll(async () => {
      if (started && 'close' in started) await started.close();
    });

    const addCase = (storeCase: StoreCase<CaseContext>): void => {
      const add = storeCase.uses ? it : it.concurrent;
      add(`${storeCase.theme}: ${storeCase.name}`, async ({ skip }) => {
        const reason = whyNot(storeCase, started);
        if (reason !== undefined) skip(reason);
        const opened = openedCase(started as StoreUnderTest);
        try {
          const missing = await missingCapability(storeCase, opened.context);
          if (missing !== undefined) skip(missing);
          await storeCase.run(opened.context);
        } finally {
          await opened.closeAll();
        }
      });
    };
    for (const storeCase of [...leaseStoreCases, ...leaseKeeperCases]) addCase(storeCase);

    it('what eight clients saw at once fits one order', async ({ skip }) => {
      if (!started || 'reason' in started) return skip(started?.reason ?? 'It was not started.');
      const { context, closeAll } = openedCase(started);
      const seed = platform.random.hex(4);
      try {
        const history = await recordHistory({
          stores: await Promise.all(Array.from({ length: 8 }, () => context.openStore())),
          clock: context.clock,
          random: seededRandom(seed),
          keys: ['x', 'y', 'z'].map(context.freshKey),
          attempts: 40,
          ttlMs: 200,
        });
        const result = checkHistory(history, { slackMs: 3 });
        expect(result, `seed ${seed}: ${JSON.stringify(result)}`).toMatchObject({ ok: true });
        // A history without contention would prove nothing.
        expect(history.length).toBeGreaterThan(400);
        expect(history.filter(isGrant).length).toBeGreaterThan(40);
        expect(history.filter(isRefusal).length).toBeGreaterThan(40);
      } finally {
        await closeAll();
      }
    });
  });
}

function isGrant(operation: LeaseOperation): boolean {
  return operation.kind === 'notice' || (operation.kind === 'acquire' && operation.result?.granted === true);
}

function isRefusal(operation: LeaseOperation): boolean {
  return operation.kind === 'acquire' && operation.result?.granted === false;
}

/** The context of one case, and how to close the clients it opened. */
function openedCase(target: StoreUnderTest): { readonly context: CaseContext; closeAll(): Promise<void> } {
  const opened: LeaseStore[] = [];
  const prefix = platform.random.hex(6);
  let keys = 0;
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
  };
  const { restart, forget } = target;
  const context: CaseContext = {
    async openStore() {
      const store = await target.openStore();
      opened.push(store);
      return store;
    },
    clock: platform.clock,
    freshKey: (hint) => `${prefix}/${++keys}/${hint}`,
    ttlMs: 400,
    ...(restart && {
      async restart() {
        await closeAll();
        await restart();
      },
    }),
    ...(forget && { forget }),
  };
  return { context, closeAll };
}

function whyNot({ uses }: StoreCase<CaseContext>, started: StoreUnderTest | Skipped | undefined): string | undefined {
  if (!started) return 'It was not started.';
  if ('reason' in started) return started.reason;
  if (uses === 'restart' && !started.restart) return `${started.component} keeps nothing that could outlive a restart.`;
  if (uses === 'forget' && !started.forget) return `${started.component} has no sweep of idle records.`;
  return undefined;
}

async function missingCapability(
  { needs = [] }: StoreCase<CaseContext>,
  { openStore }: CaseContext,
): Promise<string | undefined> {
  if (needs.length === 0) return undefined;
  const { capabilities } = await openStore();
  for (const need of needs) {
    const can = capabilities[need];
    if (can !== true) return can.no;
  }
  return undefined;
}
