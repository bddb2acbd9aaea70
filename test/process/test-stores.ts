/** The stores that several processes can share, each with what the workers need prepared. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/engine/migrate.ts';
import { leaseMigrations } from '../../src/sql/lease-migrations.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { startFirestore } from '../servers/firestore-server.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { type RedisServer, startRedis } from '../servers/redis-server.ts';
import { reportComponent } from '../servers/report-component.ts';
import type { StoreSpec } from './fleet.ts';

export interface TestStore extends AsyncDisposable {
  readonly spec: StoreSpec;
  readonly server?: PostgresServer;
  readonly redis?: RedisServer;
  /** Makes a document at zero, in both its protected and its unprotected form. */
  createDocument(key: string): Promise<void>;
}

export const storeKinds = ['postgres', 'file', 'firestore'] as const;

/** Throws an error with "is not installed" where the server of that kind cannot be had. */
export function openTestStore(kind: (typeof storeKinds)[number] | 'redis'): Promise<TestStore> {
  if (kind === 'firestore') return openFirestore();
  if (kind === 'redis') return openRedis();
  return kind === 'postgres' ? openPostgres() : openFiles();
}

/** The same, or why it cannot be had here: then the test is skipped and the skip is counted. */
export async function findTestStore(kind: (typeof storeKinds)[number]): Promise<TestStore | string> {
  try {
    return await openTestStore(kind);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!reason.includes('is not installed')) throw error;
    reportComponent({ component: `${kind} (processes)`, status: 'skipped', reason, avoidable: false });
    return reason;
  }
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

async function openFirestore(): Promise<TestStore> {
  const server = await startFirestore();
  return {
    spec: { kind: 'firestore', host: server.host, projectId: server.projectId },
    createDocument: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => server.stop(),
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
