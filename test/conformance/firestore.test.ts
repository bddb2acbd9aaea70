import { createRequire } from 'node:module';
import type { Firestore } from '@google-cloud/firestore';
import { documentId } from '../../src/stores/firestore/document-id.ts';
import { firestoreStore } from '../../src/stores/firestore/firestore-store.ts';
import { startFirestore } from '../servers/firestore-server.ts';
import { runConformance, type Skipped, type StoreUnderTest } from './run-conformance.ts';

runConformance('Firestore store', startFirestoreStore, { retry: 2 });

async function startFirestoreStore(): Promise<StoreUnderTest | Skipped> {
  try {
    const server = await startFirestore();
    const { version } = createRequire(import.meta.url)('@google-cloud/firestore/package.json') as { version: string };
    // Opening a connection takes longer than a case: stores take turns on a few clients, as processes would.
    const clients: Firestore[] = Array.from({ length: 4 }, () => server.openClient());
    let opened = 0;
    const nextClient = (): Firestore => clients[opened++ % clients.length] as Firestore;
    return {
      component: `Firestore emulator over @google-cloud/firestore ${version}`,
      // Cases end leases after 400 ms; the emulator has no limit of one write per second.
      openStore: async () => firestoreStore({ client: nextClient(), minRenewMs: 0, commandTimeoutMs: 20_000 }),
      restart: () => server.restart(),
      async forget(key) {
        await nextClient().collection('kannuki-leases').doc(documentId(key)).delete();
      },
      async close() {
        await Promise.all(clients.map((client) => client.terminate()));
        await server.stop();
      },
    };
  } catch (error) {
    return whyNoEmulator(error);
  }
}

/** What is not installed is a skip; what fails to start is a failure. */
function whyNoEmulator(error: unknown): Skipped {
  const reason = error instanceof Error ? error.message : String(error);
  if (!reason.includes('is not installed')) throw error;
  // It comes from an archive of Google's own, which a test machine need not have.
  return { component: 'Firestore emulator', reason, avoidable: false };
}
