/** The databases that analyses are kept in, each up and running, with what tests do to them from behind. */
import { migrate } from '../../src/engine/migrate.ts';
import { pgliteDatabase } from '../../src/stores/pglite/index.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { firestoreAnalysisRepo } from '../../src/systems/analysis/firestore/index.ts';
import {
  type AnalysisRepo,
  analysisMigrations,
  type SqlAnalysisRepoOptions,
  sqlAnalysisRepo,
} from '../../src/systems/analysis/index.ts';
import { startFirestore } from './firestore-server.ts';
import { startPostgres } from './postgres-server.ts';

/** How a process of its own opens the same data. */
export type AnalysisSpec =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'firestore'; readonly host: string; readonly projectId: string };

export interface OpenRepoOptions extends Pick<SqlAnalysisRepoOptions, 'logger' | 'onEvent'> {
  /** Of each call. @default long */
  readonly timeoutMs?: number;
}

export interface AnalysisBackend {
  /** Absent: other processes cannot. */
  readonly spec?: AnalysisSpec;
  openRepo(options?: OpenRepoOptions): AnalysisRepo;
  setStatus(analysisId: string, status: string): Promise<void>;
  /** Makes the end of a lock unreadable, and says when its owner was last heard of. */
  malformLock(analysisId: string, heartbeatAt: string | null): Promise<void>;
  /** Freezes the server, where there is one. */
  pause(): Promise<void> | void;
  resume(): Promise<void> | void;
  close(): Promise<void>;
}

export const analysisBackends = ['PostgreSQL 18', 'PostgreSQL 15', 'PGlite', 'Firestore'] as const;
export type AnalysisBackendKind = (typeof analysisBackends)[number];

/** Or why it cannot be had here. */
export async function openAnalysisBackend(kind: AnalysisBackendKind): Promise<AnalysisBackend | string> {
  if (kind !== 'Firestore') return openSql(kind);
  try {
    return await openFirestore();
  } catch (error) {
    if (error instanceof Error && error.message.includes('is not installed')) return error.message;
    throw error;
  }
}

async function openSql(kind: Exclude<AnalysisBackendKind, 'Firestore'>): Promise<AnalysisBackend> {
  const server = kind === 'PGlite' ? undefined : await startPostgres({ major: kind === 'PostgreSQL 18' ? 18 : 15 });
  const database = server ? postgresDatabase({ connectionString: server.url }) : pgliteDatabase({ dir: 'memory' });
  await migrate(database, [analysisMigrations]);
  const opened = [database];
  return {
    ...(server && { spec: { kind: 'postgres', url: server.url } as const }),
    openRepo({ timeoutMs, ...options } = {}) {
      if (!server || timeoutMs === undefined) return sqlAnalysisRepo({ ...options, database });
      const impatient = postgresDatabase({
        connectionString: server.url,
        queryTimeoutMs: timeoutMs,
        connectTimeoutMs: timeoutMs,
      });
      opened.push(impatient);
      return sqlAnalysisRepo({ ...options, database: impatient });
    },
    async setStatus(analysisId, status) {
      const text = 'update kannuki.analyses set status = $2 where analysis_id = $1';
      await database.query({ text, values: [analysisId, status] });
    },
    async malformLock(analysisId, heartbeatAt) {
      // A timestamp is always readable here; one that is missing beside an owner is what comes closest.
      const text =
        'update kannuki.analyses set lock_expires_at = null, lock_heartbeat_at = $2::timestamptz where analysis_id = $1';
      await database.query({ text, values: [analysisId, heartbeatAt] });
    },
    pause: () => server?.pause(),
    resume: () => server?.resume(),
    async close() {
      for (const one of opened) await one.close();
      await server?.stop();
    },
  };
}

async function openFirestore(): Promise<AnalysisBackend> {
  const server = await startFirestore();
  const firestore = server.openClient();
  const documentOf = (analysisId: string) => firestore.collection('analyses').doc(analysisId);
  return {
    spec: { kind: 'firestore', host: server.host, projectId: server.projectId },
    openRepo: ({ timeoutMs = 50_000, ...options } = {}) =>
      firestoreAnalysisRepo({ ...options, firestore, commandTimeoutMs: timeoutMs }),
    async setStatus(analysisId, status) {
      await documentOf(analysisId).update({ status });
    },
    async malformLock(analysisId, heartbeatAt) {
      await documentOf(analysisId).update({ lockExpiresAt: 'in a while', lockHeartbeatAt: heartbeatAt });
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
    async close() {
      await firestore.terminate();
      await server.stop();
    },
  };
}
