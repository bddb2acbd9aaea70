/** A server with every system that `kannuki serve` has, on its private database, with a token for each role. No worker. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from '#platform';
import type { CliContext } from '../../src/cli/cli-context.ts';
import { openServerDatabase } from '../../src/cli/compose.ts';
import { messagesFor } from '../../src/cli/messages.ts';
import { openSystems } from '../../src/cli/server-systems.ts';
import type { Logger, SqlDatabase } from '../../src/core/ports.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { type Role, roles } from '../../src/server/authenticate.ts';
import {
  apiToken,
  createServerApp,
  internalToken,
  type RateLimits,
  type ServerApp,
  type SignIn,
} from '../../src/server/index.ts';
import { createJobs, type Jobs } from '../../src/systems/jobs/index.ts';

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
  /** The cookie of a browser that has opened the booking page. */
  readonly customerCookie: string;
  ask(method: string, path: string, role: Role, body?: object): Promise<Answer>;
  close(): Promise<void>;
}

export interface AccessServerOptions {
  readonly limits?: RateLimits;
  readonly logger?: Logger;
  /** @default its private database */
  readonly databaseUrl?: string;
}

export async function startAccessServer(options: AccessServerOptions = {}): Promise<AccessServer> {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-access-'));
  const { limits, logger = silent, databaseUrl } = options;
  const context: CliContext = {
    env: databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
    messages: messagesFor({}),
    platform,
    colour: false,
    print() {},
    say() {},
  };
  const opened = await openServerDatabase(context, dir, logger);
  const { database, store } = opened;
  await migrate(database, opened.migrations);
  const jobs = createJobs({ database, logger });
  jobs.define({ name: 'idle' });
  const systems = await openSystems(database, {
    dataDir: dir,
    context,
    platform,
    logger,
    jobs,
    config: { analysis: { analyze: () => 'found' } },
    publicUrl: 'http://test',
  });
  await jobs.ready();
  const { signIn } = systems.services;
  const app = createServerApp({
    store,
    jobs,
    auditDatabase: database,
    tokens: roles.map((role) => apiToken({ name: `the-${role}`, role, secret: secrets[role] })),
    internal: { tokenSha256: internalToken(secrets.internal) },
    systems: systems.services,
    logger,
    ...(limits && { limits }),
  });
  const opening = await app.fetch(
    new Request('http://test/api/v1/booking/session', {
      method: 'POST',
      headers: { host: 'test', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      body: '{}',
    }),
  );
  const customerCookie = opening.headers.get('set-cookie')?.split(';')[0] ?? '';
  return {
    app,
    database,
    signIn,
    jobs,
    customerCookie,
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
      await systems.close();
      await opened.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** So that what is tested is not who asks too often. */
export const wideLimits: RateLimits = {
  caller: { perSecond: 1e9, burst: 1e9 },
  anonymous: { perSecond: 1e9, burst: 1e9 },
  signIn: { perSecond: 1e9, burst: 1e9 },
  failure: { perSecond: 1e9, burst: 1e9 },
};
