/** A server with every system on one PGlite in memory, a token for each role, and nothing that runs by itself. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from '#platform';
import type { Logger, SqlDatabase } from '../../src/core/ports.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { type Role, roles } from '../../src/server/authenticate.ts';
import {
  accessMigrations,
  apiToken,
  createApiTokens,
  createServerApp,
  createSignIn,
  internalToken,
  type RateLimits,
  type ServerApp,
  type SignIn,
  signInMigrations,
} from '../../src/server/index.ts';
import { pgliteDatabase, pgliteStore } from '../../src/stores/pglite/index.ts';
import { analysisMigrations, createAnalysisWorker, sqlAnalysisRepo } from '../../src/systems/analysis/index.ts';
import { createJobs, type Jobs, jobsEffectQueue } from '../../src/systems/jobs/index.ts';
import {
  createCollector,
  createNotifier,
  createReporter,
  createRollouts,
  telemetryMigrations,
} from '../../src/systems/telemetry/index.ts';

export const secrets: Readonly<Record<Role | 'internal', string>> = {
  viewer: 'v'.repeat(64),
  operator: 'o'.repeat(64),
  admin: 'a'.repeat(64),
  internal: 'i'.repeat(64),
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON body of any shape, looked into by the assertions.
  readonly json: any;
}

export interface AccessServer {
  readonly app: ServerApp;
  readonly database: SqlDatabase;
  readonly signIn: SignIn;
  readonly jobs: Jobs;
  ask(method: string, path: string, role: Role, body?: object): Promise<Answer>;
  close(): Promise<void>;
}

export interface AccessServerOptions {
  readonly limits?: RateLimits;
  readonly logger?: Logger;
}

export async function startAccessServer(options: AccessServerOptions = {}): Promise<AccessServer> {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-access-'));
  const database = pgliteDatabase({ dir: 'memory' });
  const store = pgliteStore({ database });
  await migrate(database, [
    ...(store.schema?.migrations ?? []),
    accessMigrations,
    analysisMigrations,
    signInMigrations,
    telemetryMigrations,
  ]);
  const jobs = createJobs({ database });
  jobs.define({ name: 'idle' });
  await jobs.ready();
  const collector = createCollector({ database, dir, platform });
  const rollouts = createRollouts({ database });
  const reporter = createReporter({
    database,
    rollouts,
    notifier: createNotifier(jobsEffectQueue(jobs, { clock: platform.clock }), []),
  });
  const worker = createAnalysisWorker({ repo: sqlAnalysisRepo({ database }), analyze: () => 'found', platform });
  const signIn = await createSignIn({ database });
  const app = createServerApp({
    store,
    jobs,
    auditDatabase: database,
    tokens: roles.map((role) => apiToken({ name: `the-${role}`, role, secret: secrets[role] })),
    internal: { tokenSha256: internalToken(secrets.internal) },
    systems: {
      signIn,
      apiTokens: createApiTokens({ database }),
      analysis: { worker },
      telemetry: { collector, rollouts, reporter },
    },
    ...(options.limits && { limits: options.limits }),
    ...(options.logger && { logger: options.logger }),
  });
  return {
    app,
    database,
    signIn,
    jobs,
    async ask(method, path, role, body) {
      const response = await app.fetch(
        new Request(`http://test${path}`, {
          method,
          headers: { authorization: `Bearer ${secrets[role]}`, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        }),
        '127.0.0.1',
      );
      const text = await response.text();
      const isJson = (response.headers.get('content-type') ?? '').includes('json');
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isJson && text !== '' ? JSON.parse(text) : undefined,
      };
    },
    async close() {
      app.stop();
      await jobs.close();
      await worker.close();
      await collector.close();
      await store.close();
      await database.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
