import type { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { FirestoreClient } from '../../src/stores/firestore/firestore-client.ts';
import { firestoreStore } from '../../src/stores/firestore/firestore-store.ts';
import type { LeaseOperation } from '../../src/testing/lease-operation.ts';
import { checkHistory } from '../../src/testing/linearizability.ts';
import { recordHistory } from '../../src/testing/record-history.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { type FirestoreServer, startFirestore } from '../servers/firestore-server.ts';
import { reportComponent } from '../servers/report-component.ts';

const rounds = faultRounds('FIRESTORE_HISTORIES', 1);

describe('histories recorded from Firestore', () => {
  let server: FirestoreServer | undefined;
  let clients: readonly Firestore[] = [];
  let missing = '';
  beforeAll(async () => {
    try {
      const started = await startFirestore();
      server = started;
      clients = Array.from({ length: 8 }, () => started.openClient());
      reportComponent({ component: 'Firestore emulator (histories)', status: 'took part' });
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('is not installed'))) throw error;
      missing = error.message;
      const component = 'Firestore emulator (histories)';
      reportComponent({ component, status: 'skipped', reason: missing, avoidable: false });
    }
  });
  beforeEach(({ skip }) => skip(missing !== '', missing));
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.terminate()));
    await server?.stop();
  });

  const record = (options: {
    readonly seed: string;
    readonly keyCount: number;
    readonly attempts: number;
    readonly throughClient?: (client: Firestore) => FirestoreClient;
  }): Promise<readonly LeaseOperation[]> => {
    const { seed, keyCount, attempts, throughClient = (client) => client } = options;
    return recordHistory({
      stores: clients.map((client) =>
        firestoreStore({ client: throughClient(client), minRenewMs: 0, commandTimeoutMs: 30_000 }),
      ),
      clock: platform.clock,
      random: seededRandom(seed),
      keys: Array.from({ length: keyCount }, (_, i) => `${seed}/${i}`),
      attempts,
      ttlMs: 400,
    });
  };

  it(`${rounds} × eight clients, fifty keys: what they saw fits one order`, { timeout: 900_000 }, async () => {
    let operations = 0;
    let refusals = 0;
    for (let round = 0; round < rounds; round++) {
      const seed = platform.random.hex(4);
      const history = await record({ seed, keyCount: 50, attempts: 40 });
      const result = checkHistory(history, { slackMs: 3 });
      expect(result, `seed ${seed}: ${JSON.stringify(result)}`).toMatchObject({ ok: true });
      operations += history.length;
      refusals += history.filter((seen) => seen.kind === 'acquire' && seen.result?.granted === false).length;
    }
    reportFault({ experiment: 'firestore-histories', clients: clients.length, keys: 50, rounds, operations, refusals });
    expect(operations).toBeGreaterThan(rounds * 500);
    // Clients that never met would prove nothing.
    expect(refusals).toBeGreaterThan(rounds * 10);
  });

  it('of a store that writes without comparing are rejected', { timeout: 120_000 }, async () => {
    for (let tries = 0; tries < 10; tries++) {
      const seed = platform.random.hex(4);
      const history = await record({ seed, keyCount: 2, attempts: 20, throughClient: withoutPreconditions });
      const result = checkHistory(history, { slackMs: 3 });
      if (!result.ok) return expect(result.reason).not.toMatch(/undecided/);
    }
    expect.fail('no history of ten was rejected');
  });
});

/** The planted bug: batches forget what they were to compare. */
function withoutPreconditions(client: Firestore): FirestoreClient {
  return {
    collection: (path) => client.collection(path) as never,
    getAll: (...documents) => client.getAll(...documents),
    batch() {
      const batch = client.batch();
      return {
        create: (document: never, fields: never) => batch.set(document, fields),
        update: (document: never, fields: never) => batch.set(document, fields),
        commit: () => batch.commit(),
      };
    },
  };
}
