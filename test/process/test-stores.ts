/** The stores that several processes can share, each with what the workers need prepared. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/engine/migrate.ts';
import { leaseMigrations } from '../../src/sql/lease-migrations.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { type RedisServer, startRedis } from '../servers/redis-server.ts';
import type { StoreSpec } from './fleet.ts';

export interface TestStore extends AsyncDisposable {
  readonly spec: StoreSpec;
  readonly server?: PostgresServer;
  readonly redis?: RedisServer;
  /** Makes a document at zero, in both its protected and its unprotected form. */
  createDocument(key: string): Promise<void>;
}

export const storeKinds = ['postgres', 'file'] as const;

export function openTestStore(kind: (typeof storeKinds)[number] | 'redis'): Promise<TestStore> {
  if (kind === 'redis') return openRedis();
  return kind === 'postgres' ? openPostgres() : openFiles();
}

/** Every write is on disk before its answer: a restart forgets nothing that was answered. */
async function openRedis(): Promise<TestStore> {
  const redis = await startRedis({ appendonly: true });
  return {
    spec: { kind: 'redis', port: redis.port, library: 'ioredis' },
    redis,
    createDocument: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => redis.stop(),
  };
}

async function openPostgres(): Promise<TestStore> {
  const server = await startPostgres({ major: 18 });
  const database = postgresDatabase({ connectionString: server.url });
  await migrate(database, [leaseMigrations]);
  await database.query({
    text: 'create table documents (key text primary key, fenced integer not null, unfenced integer not null)',
  });
  return {
    spec: { kind: 'postgres', url: server.url },
    server,
    async createDocument(key) {
      await database.query({ text: 'insert into documents values ($1, 0, 0)', values: [key] });
    },
    async [Symbol.asyncDispose]() {
      await database.close();
      await server.stop();
    },
  };
}

async function openFiles(): Promise<TestStore> {
  const root = await mkdtemp(join(tmpdir(), 'kannuki-files-'));
  const documents = join(root, 'documents');
  await mkdir(documents);
  return {
    spec: { kind: 'file', dir: join(root, 'leases'), documents },
    createDocument: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
