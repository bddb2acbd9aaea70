import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../../test/servers/postgres-server.ts';
import { type S3Server, startS3 } from '../../../../test/servers/s3-server.ts';
import type { SqlDatabase, SqlStatement } from '../../../core/ports.ts';
import { migrate } from '../../../engine/migrate.ts';
import { leaseMigrations } from '../../../sql/lease-migrations.ts';
import { pgliteDatabase } from '../../../stores/pglite/index.ts';
import { postgresDatabase } from '../../../stores/postgres/index.ts';
import { jobMigrations } from '../migrations/job-migrations.ts';
import { archiveLogs } from './archive-logs.ts';
import { folderArchive } from './folder-archive.ts';
import type { LogArchive } from './log-archive.ts';
import { formatLogPlace, type LogLine, type LogPlace, parseLogPlace } from './log-line.ts';
import { createLogWriter } from './log-writer.ts';
import { readLog } from './read-log.ts';
import { s3Archive } from './s3-archive.ts';

/** `query` through which a test can break a statement. */
function intercepted(
  database: SqlDatabase,
  around: (statement: SqlStatement, send: () => Promise<unknown>) => Promise<unknown>,
): SqlDatabase {
  return { ...database, query: (statement) => around(statement, () => database.query(statement)) as never };
}

describe.each(['PGlite', 'PostgreSQL 18'])('logs on %s', { timeout: 120_000 }, (engine) => {
  let server: PostgresServer | undefined;
  let database: SqlDatabase;
  let s3: S3Server;
  let dir: string;
  let runId = 1_000;

  beforeAll(async () => {
    if (engine !== 'PGlite') server = await startPostgres({ major: 18 });
    database = server ? postgresDatabase({ connectionString: server.url }) : pgliteDatabase({ dir: 'memory' });
    await migrate(database, [leaseMigrations, jobMigrations]);
    s3 = await startS3();
    dir = mkdtempSync(join(tmpdir(), 'kannuki-logs-'));
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
    await s3?.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    runId++;
    await database.query({ text: 'delete from kannuki.job_run_logs' });
  });

  const archives = (): readonly [string, LogArchive][] => [
    ['folder', folderArchive({ dir })],
    ['bucket', s3Archive({ bucket: 'logs', prefix: 'kannuki/', endpoint: s3.endpoint, credentials: s3.credentials })],
  ];
  const say = async (lines: readonly string[], attempt = 1, run = runId): Promise<void> => {
    const writer = createLogWriter({ database, delayMs: 1 });
    for (const line of lines) writer.append(run, attempt, line);
    await writer.close();
  };
  const age = (run = runId): Promise<unknown> =>
    database.query({
      text: `update kannuki.job_run_logs set at = at - interval '8 days' where run_id = $1`,
      values: [run],
    });
  const weekSeconds = 7 * 86_400;

  async function readAll(archive?: LogArchive, limit = 1_000, run = runId): Promise<LogLine[]> {
    const found: LogLine[] = [];
    let after: LogPlace | undefined;
    for (;;) {
      const page = await readLog({ database, archive, runId: run, limit, ...(after && { after }) });
      found.push(...page.lines);
      if (!page.more) return found;
      expect(page.lines.length).toBeGreaterThan(0);
      after = page.next;
    }
  }
  const texts = (lines: readonly LogLine[]): string[] => lines.map(({ text }) => text);

  it('keeps lines in order, whatever they hold, and reads them page by page', async () => {
    const lines = ['first', '', 'ünïcödé ✓ 𝄞', 'two\nin one', 'a\0b', `long ${'x'.repeat(70_000)}`];
    await say(lines);
    await say(['again'], 2);
    const wanted = [
      'first',
      '',
      'ünïcödé ✓ 𝄞',
      'two',
      'in one',
      'a\uFFFDb',
      lines[5]?.slice(0, 65_536),
      lines[5]?.slice(65_536),
      'again',
    ];
    expect(texts(await readAll())).toEqual(wanted);
    expect(texts(await readAll(undefined, 1))).toEqual(wanted);
    expect((await readAll()).map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2]);
  });

  it('reads on while more is said', async () => {
    const writer = createLogWriter({ database, delayMs: 1 });
    const seen: string[] = [];
    let after: LogPlace | undefined;
    for (let n = 0; n < 20; n++) {
      writer.append(runId, 1, `line ${n}`);
      await writer.flush();
      const page = await readLog({ database, runId, ...(after && { after }) });
      seen.push(...texts(page.lines));
      after = parseLogPlace(formatLogPlace(page.next));
    }
    await writer.close();
    expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => `line ${n}`));
  });

  it('knows nothing of a run that said nothing', async () => {
    expect(await readLog({ database, runId })).toEqual({
      lines: [],
      next: { attempt: 0, part: 0, line: 0 },
      more: false,
    });
  });

  it('stores a line once when the reply of the database is lost', async () => {
    let lost = 0;
    const flaky = intercepted(database, async (_statement, send) => {
      const result = await send();
      if (lost++ < 2) throw new Error('The connection broke.');
      return result;
    });
    const writer = createLogWriter({ database: flaky, delayMs: 1 });
    writer.append(runId, 1, 'once');
    await writer.close();
    expect(lost).toBe(3);
    expect(texts(await readAll())).toEqual(['once']);
  });

  it('drops and says so rather than grow, when nobody waits', async () => {
    const writer = createLogWriter({ database, heldCharsMax: 10_000 });
    for (let n = 0; n < 5_000; n++) writer.append(runId, 1, `line ${String(n).padStart(94)}`);
    await writer.flush();
    writer.append(runId, 1, 'after');
    await writer.close();
    const read = texts(await readAll());
    expect(read[0]).toMatch(/^line +0$/);
    expect(read.at(-2)).toMatch(/^… 49\d\d lines were dropped here/);
    expect(read.at(-1)).toBe('after');
    expect(read.length).toBeLessThan(120);
  });

  it('gives up on a database that stays away, and does not hang', async () => {
    const away = intercepted(database, () => Promise.reject(new Error('away')));
    const errors: string[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => void errors.push(message) };
    const writer = createLogWriter({ database: away, delayMs: 1, giveUpAfterMs: 50, logger });
    writer.append(runId, 1, 'lost');
    await writer.close();
    expect(errors.join()).toContain('given up');
  });

  it('archives old logs of ended runs only, and reads the same after as before', async () => {
    for (const [name, archive] of archives()) {
      runId++;
      const lines = Array.from({ length: 1_000 }, (_, n) => `line ${n} ${'·'.repeat(n % 300)}`);
      await say(lines);
      await say(['and again', ''], 2);
      const before = await readAll();
      const half = await readLog({ database, runId, limit: 500 });

      expect((await archiveLogs({ database, archive, retentionSeconds: weekSeconds })).archived, name).toBe(0);
      await age();
      const aged = await readAll();
      expect(await archiveLogs({ database, archive, retentionSeconds: weekSeconds }), name).toMatchObject({
        archived: 1,
        lines: 1_002,
        failed: 0,
      });
      const { rows } = await database.query({
        text: 'select 1 from kannuki.job_run_logs where run_id = $1',
        values: [runId],
      });
      expect(rows).toHaveLength(0);
      expect(await readAll(archive), name).toEqual(aged);
      expect(await readAll(archive, 70), name).toEqual(aged);
      expect(texts(aged)).toEqual(texts(before));
      // A place from before is good after.
      const rest = await readLog({ database, archive, runId, after: half.next, limit: 10_000 });
      expect([...texts(half.lines), ...texts(rest.lines)]).toEqual(texts(before));
    }
  });

  it('leaves a run that is under way alone', async () => {
    await database.query({
      text: `insert into kannuki.queues (name) values ('logs') on conflict do nothing`,
    });
    await database.query({
      text: `insert into kannuki.job_runs (id, job_definition_id, queue_id) overriding system value values ($1, 1, 1)`,
      values: [runId],
    });
    await say(['long ago']);
    await age();
    expect((await archiveLogs({ database, archive: folderArchive({ dir }), retentionSeconds: 1 })).archived).toBe(0);
    expect(texts(await readAll())).toEqual(['long ago']);
  });

  it('adds lines that come after the archive to it', async () => {
    const archive = folderArchive({ dir });
    await say(['one', 'two']);
    await age();
    await archiveLogs({ database, archive, retentionSeconds: weekSeconds });
    await say(['late'], 2);
    expect(texts(await readAll(archive))).toEqual(['one', 'two', 'late']);
    await age();
    expect(await archiveLogs({ database, archive, retentionSeconds: weekSeconds })).toMatchObject({
      archived: 1,
      lines: 3,
    });
    expect(texts(await readAll(archive))).toEqual(['one', 'two', 'late']);
    const files = readdirSync(join(dir, 'runs', String(Math.floor(runId / 1_000)))).filter((file) =>
      file.startsWith(`${runId}-`),
    );
    expect(files).toEqual([`${runId}-3.log.gz`]);
  });

  it('loses and doubles nothing when it dies at any step', async () => {
    const steps = ['write', 'read-back', 'before-seal', 'after-seal'] as const;
    for (const [name, archive] of archives()) {
      for (const step of steps) {
        runId++;
        await say(['one', 'two', 'three']);
        await age();
        const wanted = texts(await readAll());
        const dying: LogArchive = {
          ...archive,
          async write(key, chunks) {
            await archive.write(key, chunks);
            if (step === 'write') throw new Error('died');
          },
          async *read(key, from) {
            if (step === 'read-back') throw new Error('died');
            yield* archive.read(key, from);
          },
        };
        const dyingDatabase = intercepted(database, async ({ text }, send) => {
          const seals = text.includes('job_run_log_refs as r');
          if (seals && step === 'before-seal') throw new Error('died');
          const result = await send();
          if (seals && step === 'after-seal') throw new Error('died');
          return result;
        });
        const report = await archiveLogs({ database: dyingDatabase, archive: dying, retentionSeconds: weekSeconds });
        expect(report, `${name} ${step}`).toMatchObject({ archived: 0, failed: 1 });
        expect(texts(await readAll(archive)), `${name} ${step}`).toEqual(wanted);
        await archiveLogs({ database, archive, retentionSeconds: weekSeconds });
        expect(texts(await readAll(archive)), `${name} ${step}, again`).toEqual(wanted);
        const { rows } = await database.query({
          text: 'select 1 from kannuki.job_run_logs where run_id = $1',
          values: [runId],
        });
        expect(rows).toHaveLength(0);
      }
    }
  });

  it('does not delete a line that came while the file was written', async () => {
    const archive = folderArchive({ dir });
    await say(['one']);
    await age();
    const slow: LogArchive = {
      ...archive,
      async write(key, chunks) {
        await archive.write(key, chunks);
        await say(['two'], 2);
      },
    };
    expect((await archiveLogs({ database, archive: slow, retentionSeconds: weekSeconds })).archived).toBe(0);
    expect(texts(await readAll(archive))).toEqual(['one', 'two']);
  });

  it('lets two archive at once', async () => {
    const archive = folderArchive({ dir });
    await say(['one', 'two']);
    await age();
    const reports = await Promise.all(
      [1, 2].map(() => archiveLogs({ database, archive, retentionSeconds: weekSeconds })),
    );
    expect(reports.reduce((sum, { archived }) => sum + archived, 0)).toBe(1);
    expect(reports.every(({ failed }) => failed === 0)).toBe(true);
    expect(texts(await readAll(archive))).toEqual(['one', 'two']);
  });

  it('does not write over the file of one who was faster', async () => {
    for (const [name, archive] of archives()) {
      runId++;
      await say(['one', 'two']);
      await age();
      let first = true;
      // Between the list of old logs and the first look into one, somebody else archives it.
      const late = intercepted(database, async ({ text }, send) => {
        if (text.includes('left join lateral') && first) {
          first = false;
          expect((await archiveLogs({ database, archive, retentionSeconds: weekSeconds })).archived).toBe(1);
        }
        return send();
      });
      const report = await archiveLogs({ database: late, archive, retentionSeconds: weekSeconds });
      expect(report, name).toMatchObject({ archived: 0, failed: 0 });
      expect(first).toBe(false);
      expect(texts(await readAll(archive)), name).toEqual(['one', 'two']);
    }
  });

  it('reads a page that is archived at that moment', async () => {
    const archive = folderArchive({ dir });
    await say(['one', 'two']);
    await age();
    let archived = false;
    const racing = intercepted(database, async (_statement, send) => {
      const result = await send();
      if (!archived) {
        archived = true;
        await archiveLogs({ database, archive, retentionSeconds: weekSeconds });
      }
      return result;
    });
    expect(texts((await readLog({ database: racing, archive, runId })).lines)).toEqual(['one', 'two']);
    expect(texts((await readLog({ database: racing, archive, runId })).lines)).toEqual(['one', 'two']);
  });

  it('does not delete what the archive did not keep', async () => {
    const archive = folderArchive({ dir });
    await say(['precious']);
    await age();
    const rotten: LogArchive = {
      ...archive,
      async write(key, chunks) {
        await archive.write(key, chunks);
        writeFileSync(join(dir, key), 'rot');
      },
    };
    expect((await archiveLogs({ database, archive: rotten, retentionSeconds: weekSeconds })).failed).toBe(1);
    expect(texts(await readAll(archive))).toEqual(['precious']);
  });

  it('survives a bucket that fails and one whose reply is lost', async () => {
    const [, [, archive]] = archives() as [[string, LogArchive], [string, LogArchive]];
    await say(['one']);
    await age();
    s3.faults.push('fail-before', 'lose-reply');
    expect(await archiveLogs({ database, archive, retentionSeconds: weekSeconds })).toMatchObject({ archived: 1 });
    expect(texts(await readAll(archive))).toEqual(['one']);
    const wrong = s3Archive({
      bucket: 'logs',
      endpoint: s3.endpoint,
      credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
    });
    await expect(wrong.write('a', (async function* () {})())).rejects.toThrow();
  });

  it('says where a log is that it cannot reach', async () => {
    const archive = folderArchive({ dir });
    await say(['one']);
    await age();
    await archiveLogs({ database, archive, retentionSeconds: weekSeconds });
    await expect(readAll()).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('folder:runs/'),
    });
    rmSync(join(dir, 'runs'), { recursive: true });
    await expect(readAll(archive)).rejects.toMatchObject({ code: 'log-missing' });
    await database.query({
      text: 'update kannuki.job_run_log_refs set log_ref = $2 where run_id = $1',
      values: [runId, 'folder:../../etc/passwd'],
    });
    await expect(readAll(archive)).rejects.toMatchObject({
      code: 'log-missing',
      message: expect.stringContaining('outside'),
    });
    await database.query({ text: 'delete from kannuki.job_run_log_refs' });
  });

  it('makes files that people can read with zcat', async () => {
    const archive = folderArchive({ dir });
    await say(Array.from({ length: 20_000 }, (_, n) => `line ${n}`));
    await age();
    await archiveLogs({ database, archive, retentionSeconds: weekSeconds });
    const text = gunzipSync(
      readFileSync(join(dir, `runs/${Math.floor(runId / 1_000)}/${runId}-20000.log.gz`)),
    ).toString();
    expect(text.split('\n')).toHaveLength(20_001);
    expect(text.split('\n')[19_999]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 1\.\d+ line 19999$/);
  });

  it('gives the same pages before and after, for any log and any page size', async () => {
    const archive = folderArchive({ dir });
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ attempt: fc.integer({ min: 1, max: 3 }), text: fc.string({ unit: 'binary', maxLength: 40 }) }),
          { maxLength: 60 },
        ),
        fc.integer({ min: 1, max: 25 }),
        async (said, limit) => {
          runId++;
          const writer = createLogWriter({ database, delayMs: 1 });
          for (const { attempt, text } of said) {
            writer.append(runId, attempt, text);
            if (text.length % 5 === 0) await writer.flush();
          }
          await writer.close();
          await age();
          const before = await readAll(undefined, limit);
          await archiveLogs({ database, archive, retentionSeconds: weekSeconds });
          expect(await readAll(archive, limit)).toEqual(before);
        },
      ),
      { numRuns: 15 },
    );
  });
});
