/** A log much larger than the memory of the process that writes, archives and reads it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/engine/migrate.ts';
import { leaseMigrations } from '../../src/sql/lease-migrations.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { jobMigrations } from '../../src/systems/jobs/migrations/job-migrations.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';

const megabytes = faultRounds('LOG_STREAMING', 40);
const script = fileURLToPath(new URL('log-streamer.mjs', import.meta.url));
let server: PostgresServer;
let dir: string;

beforeAll(async () => {
  server = await startPostgres({ major: 18 });
  dir = mkdtempSync(join(tmpdir(), 'kannuki-log-stream-'));
  const database = postgresDatabase({ connectionString: server.url, listen: false });
  await migrate(database, [leaseMigrations, jobMigrations]);
  await database.close();
});
afterAll(async () => {
  await server?.stop();
  if (dir) rmSync(dir, { recursive: true, force: true });
});

it(`a log of ${megabytes} MB streams through a process that may hold 64 MB of objects`, {
  timeout: 600_000,
}, async () => {
  const argument = JSON.stringify({ url: server.url, dir, megabytes });
  const child = fork(script, [argument], { execArgv: ['--max-old-space-size=64'] });
  const ended = once(child, 'exit');
  const [report] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`ended with ${String(code)} before it was done`))),
  ])) as [Readonly<Record<'stored' | 'archived' | 'bytes' | 'read' | 'lines' | 'peakMegabytes' | 'writeMs', number>>];
  await ended;
  expect(report).toMatchObject({ stored: report.lines, read: report.lines, archived: 1 });
  expect(report.lines).toBe(megabytes * 10_000);
  // Node itself and its libraries take about 90.
  expect(report.peakMegabytes).toBeLessThan(200);
  reportFault({ experiment: 'log-streaming', megabytes, ...report });
});
