import type { Clock, SqlDatabase } from '../../core/ports.ts';
import { type Finding, fail, ok, sentenceOf, warn } from './finding.ts';

/** The store's clock judges; ours only makes us stop sooner. So a difference harms people's reading, not safety. */
const skewWarnMs = 1_000;
const noticeMsMax = 2_000;

/** What a PostgreSQL must be like for leases: a primary, new enough, that keeps what it acknowledged, and notifies. */
export async function checkDatabase(
  database: SqlDatabase,
  clock: Clock,
  hasTables: boolean,
): Promise<readonly Finding[]> {
  const checks = [checkServer, checkClock, checkDurability, checkListen, ...(hasTables ? [checkExpired] : [])];
  const findings: Finding[] = [];
  for (const check of checks) {
    try {
      findings.push(await check(database, clock));
    } catch (error) {
      findings.push(fail('database', sentenceOf(error), 'see the message'));
    }
  }
  return findings;
}

async function only<Row>(database: SqlDatabase, text: string): Promise<Row> {
  const [row] = (await database.query<Row>({ text })).rows;
  if (row === undefined) throw new Error(`"${text}" returned no row.`);
  return row;
}

async function checkServer(database: SqlDatabase): Promise<Finding> {
  const { version, replica } = await only<{ version: string; replica: boolean }>(
    database,
    `select current_setting('server_version') as version, pg_is_in_recovery() as replica`,
  );
  if (replica)
    return fail('server', `PostgreSQL ${version}, a replica`, 'name the primary: replicas cannot grant leases');
  const major = Number.parseInt(version, 10);
  return major >= 15
    ? ok('server', `PostgreSQL ${version}`)
    : fail('server', `PostgreSQL ${version}`, 'use 15 or newer');
}

async function checkClock(database: SqlDatabase, clock: Clock): Promise<Finding> {
  const beforeMs = clock.wallMs();
  const { ms } = await only<{ ms: number }>(
    database,
    `select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  );
  const afterMs = clock.wallMs();
  const skewMs = Math.round(ms - (beforeMs + afterMs) / 2);
  const detail = `the store is ${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} us (± ${Math.ceil((afterMs - beforeMs) / 2)})`;
  return Math.abs(skewMs) < skewWarnMs ? ok('clock', detail) : warn('clock', detail, 'synchronise both clocks (NTP)');
}

async function checkDurability(database: SqlDatabase): Promise<Finding> {
  const { fsync, commit } = await only<{ fsync: string; commit: string }>(
    database,
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit`,
  );
  const detail = `fsync ${fsync}, synchronous_commit ${commit}`;
  if (!database.capabilities.fsync)
    return warn('durability', 'PGlite does not wait for the disk', 'use PostgreSQL against power loss');
  if (fsync !== 'on') return fail('durability', detail, 'turn fsync on: acknowledged grants may be lost');
  return commit === 'off'
    ? warn('durability', detail, 'a crash of the server can forget grants; fence every write, or turn it on')
    : ok('durability', detail);
}

async function checkListen(database: SqlDatabase, clock: Clock): Promise<Finding> {
  const fix = 'name a direct connection, not a transaction pooler; until then waiters poll once a second';
  if (!database.capabilities.listen) return warn('notices', 'LISTEN is switched off', fix);
  const channel = `${database.schema}_doctor_${process.pid}`;
  const startMs = clock.monotonicMs();
  let hear = (_: boolean): void => {};
  const heard = new Promise<boolean>((resolve) => {
    hear = resolve;
  });
  const timer = clock.after(noticeMsMax, () => hear(false));
  const subscription = await database.listen(channel, () => hear(true));
  try {
    await database.query({ text: 'select pg_notify($1, $2)', values: [channel, 'hello'] });
    if (!(await heard)) return warn('notices', `none came within ${noticeMsMax} ms`, fix);
    return ok('notices', `LISTEN works, ${(clock.monotonicMs() - startMs).toFixed(0)} ms there and back`);
  } finally {
    timer.cancel();
    await subscription.close();
  }
}

async function checkExpired(database: SqlDatabase): Promise<Finding> {
  const { expired, stuck } = await only<{ expired: number; stuck: number }>(
    database,
    `select count(*)::int as expired, count(*) filter (where cardinality(queue) > 0)::int as stuck
       from "${database.schema}".leases where owner is not null and expires_at <= clock_timestamp()`,
  );
  const detail = `${expired} expired and not given back, ${stuck} of them with somebody in line`;
  // Those in line ask again within a second, unless they died too.
  return stuck === 0
    ? ok('expired leases', detail)
    : warn(
        'expired leases',
        detail,
        'look again in a few seconds; if it stays, those in line are gone and the next to ask gets it',
      );
}
