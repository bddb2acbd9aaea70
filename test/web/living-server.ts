/** The real program on a PostgreSQL that the test can write to: jobs that succeed, fail, hang and talk, and a day of history. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SqlDatabase } from '../../src/core/ports.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { startPostgres } from '../servers/postgres-server.ts';
import { startServer, type TestServer } from './start-server.ts';

export interface LivingServer extends TestServer {
  readonly database: SqlDatabase;
  /** For another process on the same work. */
  readonly databaseUrl: string;
  readonly configPath: string;
  sql<Row = Record<string, unknown>>(text: string): Promise<readonly Row[]>;
}

/** What the server runs. Nothing of it needs the test to be there. */
const config = `
const sleep = (ms, signal) => new Promise((done) => {
  const end = () => { clearTimeout(timer); signal.removeEventListener('abort', end); done(); };
  const timer = setTimeout(end, ms);
  signal.addEventListener('abort', end);
});
export default {
  jobs: [
    { name: 'render.video', maxRetries: 2, handler: async ({ log, signal }) => {
      log('source 1920x1080, 38.0 s');
      for (let part = 1; part <= 3; part++) { await sleep(40, signal); log('progress ' + part * 30 + ' %'); }
      log('wrote out/v_7Q2-1080p.mp4');
      return { file: 'out/v_7Q2-1080p.mp4', bytes: 48200000 };
    } },
    { name: 'search.reindex', maxRetries: 0, handler: async () => { throw new Error('connect ETIMEDOUT 10.0.4.17:9200'); } },
    { name: 'stream.follow', maxRetries: 0, handler: async ({ log, signal }) => {
      for (let line = 1; !signal.aborted; line++) { log('line ' + line); await sleep(200, signal); }
      signal.throwIfAborted();
    } },
    { name: 'report.daily', schedule: { kind: 'daily', at: '06:00', zone: 'Asia/Tokyo' }, handler: async () => ({ pages: 12 }) },
    { name: 'invoice.export', schedule: { kind: 'every', minutes: 15 }, handler: async () => null },
    { name: 'mail.send', handler: async () => null },
    { name: 'thumbs.generate', handler: async () => null },
  ],
};
`;

export async function startLivingServer(
  runs = 2_000,
  env: Readonly<Record<string, string>> = {},
): Promise<LivingServer> {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-living-'));
  const path = join(dir, 'kannuki.config.mjs');
  writeFileSync(path, config);
  const postgres = await startPostgres({ major: 18, settings: { synchronous_commit: 'off' } });
  const server = await startServer({ ...env, DATABASE_URL: postgres.url }, ['--config', path]);
  const database = postgresDatabase({ connectionString: postgres.url, max: 2 });
  const sql = async <Row>(text: string): Promise<readonly Row[]> =>
    (await database.query<Row>({ text: text.replaceAll('kannuki.', `"${database.schema}".`) })).rows;
  await fillHistory(sql, runs);
  return {
    ...server,
    database,
    databaseUrl: postgres.url,
    configPath: path,
    sql,
    async stop() {
      await database.close();
      await server.stop();
      await postgres.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A day of runs that ended: most well, some badly, most of those of late. Old ones have ids below those of new ones. */
async function fillHistory(sql: LivingServer['sql'], runs: number): Promise<void> {
  await sql(`select setval(pg_get_serial_sequence('kannuki.job_runs', 'id'), ${runs * 2 + 1000})`);
  await sql(`
insert into kannuki.job_run_history (id, scheduled_for, created_at, assigned_at, started_at, finished_at, assigned_worker_id,
  leader_epoch, start_token, job_definition_id, version, queue_id, priority, attempt, trigger, state, payload, result, reason, error)
select n, t.at, t.at, t.at + l.late, t.at + l.late, t.at + l.late + l.took, 1, f.token, nextval('kannuki.start_tokens'),
  d.id, 4, d.queue_id, 0, 1 + n % 3, n % 3, s.state,
  json_build_object('videoId', 'v_' || n, 'preset', 'wall-1080p', 'customer', json_build_object('name', 'Sato', 'email', 'sato@example.com')),
  case when s.state = 'SUCCEEDED' then '{"ok":true}'::json end,
  case s.state when 'FAILED' then 'handler-failed' when 'TIMED_OUT' then 'timeout' end,
  case s.state when 'FAILED' then x.errors[1 + n % 4] when 'TIMED_OUT' then 'no progress for 600 s; SIGTERM, then SIGKILL' end
from generate_series(1, ${runs}) n
cross join lateral (select now() - interval '24 hours' * (1 - sqrt(n::float8 / ${runs})) - interval '40 seconds' as at) t
cross join lateral (select (20 + (n * 37) % 180) * interval '1 ms' as late, (200 + (n * 7919) % 9000) * interval '1 ms' as took) l
cross join lateral (select case when n % 61 = 0 then 'FAILED' when n % 211 = 0 then 'TIMED_OUT' when n % 401 = 0 then 'CANCELED'
  else 'SUCCEEDED' end as state) s
cross join (select array['connect ETIMEDOUT 10.0.4.17:9200', 'exit code 137 (killed, out of memory)',
  'SFTP: permission denied (publickey)', 'source has no audio track'] as errors) x
cross join (select token from kannuki.fences where resource = 'jobs') f
join lateral (select id, queue_id from kannuki.job_definitions where name = any(array['render.video', 'report.daily', 'invoice.export', 'mail.send',
  'thumbs.generate', 'search.reindex']) order by name offset (case when s.state = 'FAILED' and n % 3 > 0 then 4 else n % 6 end) limit 1) d on true`);
  // One job has begun to fail.
  await sql(`
update kannuki.job_run_history set state = 'FAILED', reason = 'handler-failed', error = 'connect ETIMEDOUT 10.0.4.17:9200', result = null
where id = any(array(select h.id from kannuki.job_run_history h join kannuki.job_definitions d on d.id = h.job_definition_id
  where d.name = 'search.reindex' order by h.id desc limit 9)) and id % 5 <> 0`);
  await sql('vacuum analyze kannuki.job_run_history');
}
