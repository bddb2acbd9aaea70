// A store together with documents protected by its own fence, and unprotected copies beside them.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function openDocument(spec) {
  if (spec.kind === 'firestore') return openFirestore(spec);
  return spec.kind === 'postgres' ? openPostgres(spec) : openFiles(spec);
}

async function openPostgres({ url }) {
  const { fencedStatement, postgresDatabase, postgresStore } = await import('kannuki/postgres');
  const database = postgresDatabase({ connectionString: url });
  const store = postgresStore({ database });
  const read = async (column, key) =>
    (await database.query({ text: `select ${column} as value from documents where key = $1`, values: [key] })).rows[0]
      .value;
  return {
    store,
    document: {
      async claim(lease, key) {
        const { claimed } = await lease.claim(key);
        return { claimed, value: await read('fenced', key) };
      },
      async write(lease, key, value) {
        const { rowCount } = await database.query(
          fencedStatement(
            { lease, resource: key },
            { text: 'update documents set fenced = $1 from kannuki_fence where key = $2', values: [value, key] },
          ),
        );
        return { written: rowCount === 1 };
      },
      readUnfenced: (key) => read('unfenced', key),
      writeUnfenced: (key, value) =>
        database.query({ text: 'update documents set unfenced = $1 where key = $2', values: [value, key] }),
    },
    async close() {
      await store.close();
      await database.close();
    },
  };
}

async function openFirestore({ host, projectId }) {
  // The library would look for a metadata server of Google's, in vain and for a while.
  process.env.METADATA_SERVER_DETECTION = 'none';
  const { Firestore } = await import('@google-cloud/firestore');
  const { firestoreStore, guardedRead, guardedWrite } = await import('kannuki/firestore');
  const client = new Firestore({ projectId, host, ssl: false, customHeaders: { Authorization: 'Bearer owner' } });
  // TTLs are short here; the emulator takes any number of writes.
  const store = firestoreStore({ client, minRenewMs: 0 });
  const fenced = (key) => client.collection('fenced').doc(key);
  const plain = (key) => client.collection('plain').doc(key);
  // The first call connects, which may take longer than a lease lasts here.
  await plain('first').get();
  return {
    store,
    document: {
      async claim(lease, key) {
        const { claimed } = await lease.claim(key);
        const seen = await guardedRead({ client, lease, resource: key, documents: [fenced(key)] });
        return { claimed: claimed && seen.current, value: seen.current ? (seen.documents[0].get('value') ?? 0) : -1 };
      },
      write: (lease, key, value) =>
        guardedWrite({ client, lease, resource: key, write: (batch) => batch.set(fenced(key), { value }) }),
      readUnfenced: async (key) => (await plain(key).get()).get('value') ?? 0,
      writeUnfenced: (key, value) => plain(key).set({ value }),
    },
    async close() {
      await store.close();
      await client.terminate();
    },
  };
}

async function openFiles({ dir, documents }) {
  const { fencedFile, fileStore } = await import('kannuki/file');
  const store = fileStore({ dir });
  const fenced = (key) => fencedFile(join(documents, `${key}.fenced`));
  const plain = (key) => join(documents, `${key}.plain`);
  return {
    store,
    document: {
      async claim(lease, key) {
        const { claimed, content } = await fenced(key).claim(lease);
        return { claimed, value: Number(content?.toString() || 0) };
      },
      write: (lease, key, value) => fenced(key).write(lease, String(value)),
      readUnfenced: async (key) => Number(await readFile(plain(key), 'utf8').catch(() => '0')),
      writeUnfenced: (key, value) => writeFile(plain(key), String(value)),
    },
    close: () => store.close(),
  };
}
