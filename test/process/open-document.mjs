// A store together with documents protected by its own fence, and unprotected copies beside them.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function openDocument(spec) {
  if (spec.kind === 'firestore') return openFirestore(spec);
  if (spec.kind === 'postgres') return openPostgres(spec);
  return spec.kind === 'redis' ? openRedis(spec) : openFiles(spec);
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

async function openRedis({ port, library, fence = 'server' }) {
  const { guardedEval, redisStore } = await import('kannuki/redis');
  const { client, close } = await openRedisClient(port, library);
  const store = redisStore({ client });
  const run = (script, keys, args) =>
    library === 'redis'
      ? client.eval(script, { keys, arguments: args })
      : client.eval(script, keys.length, ...keys, ...args);
  // The write, and a log of who wrote what: the checker reads it.
  const script = `redis.call('SET', KEYS[1], ARGV[1]) return redis.call('RPUSH', KEYS[2], ARGV[2] .. ':' .. ARGV[1])`;
  const keysOf = (key) => [`{${key}}:fenced`, `{${key}}:log`];
  const get = async (name) => Number((await client.get(name)) ?? 0);
  const mayWrite = async ({ token }, key) => (await get(`kannuki:fence:{${key}}`)) === token;
  return {
    store,
    document: {
      async claim(lease, key) {
        const { claimed } = await lease.claim(key);
        return { claimed, value: await get(`{${key}}:fenced`) };
      },
      /** With the planted mistake: looks at the fence now, so that `write` need not. */
      prepare: async (lease, key) => (fence === 'client' ? mayWrite(lease, key) : true),
      async write(lease, key, value, prepared) {
        const args = [String(value), String(lease.token)];
        if (fence === 'client') {
          if (!(prepared ?? (await mayWrite(lease, key)))) return { written: false };
          await run(script, keysOf(key), args);
          return { written: true };
        }
        const reply = await guardedEval({ client, lease, resource: key, script, keys: keysOf(key), args });
        return { written: reply.ran };
      },
      readUnfenced: (key) => get(`{${key}}:plain`),
      writeUnfenced: (key, value) => client.set(`{${key}}:plain`, String(value)),
    },
    async close() {
      await store.close();
      close();
    },
  };
}

async function openRedisClient(port, library) {
  if (library === 'redis') {
    const { createClient } = await import('redis');
    const client = createClient({ url: `redis://127.0.0.1:${port}` });
    client.on('error', () => {});
    await client.connect();
    return { client, close: () => client.destroy() };
  }
  const { Redis } = await import('ioredis');
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
}
