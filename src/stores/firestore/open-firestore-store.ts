import { LeaseError } from '../../core/errors.ts';
import type { LeaseStore } from '../../core/ports.ts';
import { type FirestoreStoreOptions, firestoreStore } from './firestore-store.ts';

export interface OpenFirestoreStoreOptions extends Omit<FirestoreStoreOptions, 'client'> {
  /** @default the project of the credentials */
  readonly projectId?: string;
}

/**
 * A store with a client of its own, which `close` ends. Credentials are found as Google's libraries find them;
 * FIRESTORE_EMULATOR_HOST names an emulator.
 */
export async function openFirestoreStore(options: OpenFirestoreStoreOptions = {}): Promise<LeaseStore> {
  const { projectId, ...rest } = options;
  const { Firestore } = await loadSdk();
  const client = new Firestore(projectId === undefined ? {} : { projectId });
  const store = firestoreStore({ ...rest, client });
  return {
    ...store,
    async close() {
      await store.close();
      // A server that does not answer must not keep us: the connection ends with the process.
      await client.terminate().catch(() => undefined);
    },
  };
}

async function loadSdk(): Promise<typeof import('@google-cloud/firestore')> {
  try {
    return await import('@google-cloud/firestore');
  } catch (cause) {
    throw new LeaseError('Leases in Firestore need its SDK: npm install @google-cloud/firestore', {
      code: 'unsupported',
      cause,
    });
  }
}
