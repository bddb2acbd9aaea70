/**
 * Brings a database's tables up to what this version needs. Forward only; each migration is recorded by (system,
 * number) with a checksum of its text.
 *
 *   up to date      one select, no lock
 *   anything else   per set one transaction: advisory lock, then look again, then apply and record
 *
 * The lock is taken before anything is created, also before the schema, so any number of starters may come at once:
 * one works, the others wait and find it done. A crash at any statement rolls the whole set back.
 */
import { platform } from '#platform';
import { LeaseError } from '../core/errors.ts';
import type { Migration, MigrationSet, SqlDatabase, SqlExecutor } from '../core/ports.ts';

export interface AppliedMigration {
  readonly system: string;
  readonly number: number;
  readonly name: string;
}

export interface MigrationReport {
  /** What this call applied, in order; empty: nothing was missing. */
  readonly applied: readonly AppliedMigration[];
}

export interface RecordedMigration {
  readonly system: string;
  readonly number: number;
  readonly checksum: string;
}

export async function migrate(database: SqlDatabase, sets: readonly MigrationSet[]): Promise<MigrationReport> {
  const known = await Promise.all(sets.map(describeSet));
  const recorded = await readRecorded(database, database.schema);
  const applied: AppliedMigration[] = [];
  for (const set of known) {
    if (recorded && findMissing(set, recorded, database.schema).length === 0) continue;
    applied.push(...(await database.transaction((tx) => applySet(tx, database.schema, set))));
  }
  return { applied };
}

/** The same within a transaction of the caller, without the look that needs no lock. */
export async function migrateWithin(tx: SqlExecutor, schema: string, sets: readonly MigrationSet[]): Promise<void> {
  for (const set of await Promise.all(sets.map(describeSet))) await applySet(tx, schema, set);
}

/** What `migrate` records of each migration. */
export async function describeMigrations(sets: readonly MigrationSet[]): Promise<readonly RecordedMigration[]> {
  const known = await Promise.all(sets.map(describeSet));
  return known.flatMap(({ system, migrations }) =>
    migrations.map(({ number, checksum }) => ({ system, number, checksum })),
  );
}

interface KnownSet {
  readonly system: string;
  readonly migrations: readonly (Migration & { readonly checksum: string })[];
}

async function describeSet({ system, migrations }: MigrationSet): Promise<KnownSet> {
  const described = migrations.map(async (migration) => ({
    ...migration,
    // The same text in every schema, so the record survives a schema being renamed or restored elsewhere.
    checksum: await platform.sha256(migration.statements('"schema"').join(';\n')),
  }));
  return { system, migrations: (await Promise.all(described)).sort((a, b) => a.number - b.number) };
}

/** Undefined: there is no record yet. */
async function readRecorded(on: SqlExecutor, schema: string): Promise<readonly RecordedMigration[] | undefined> {
  try {
    const { rows } = await on.query<RecordedMigration>({
      text: `select system, number, checksum from "${schema}".migrations`,
    });
    return rows;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Neither undefined table nor undefined schema is a failure here. */
function isMissing(error: unknown): boolean {
  const state = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && 'code' in value ? value.code : undefined;
  const codes = [state(error), error instanceof LeaseError ? state(error.cause) : undefined];
  return codes.includes('42P01') || codes.includes('3F000');
}

function findMissing(
  { system, migrations }: KnownSet,
  recorded: readonly RecordedMigration[],
  schema: string,
): KnownSet['migrations'] {
  const ours = recorded.filter((row) => row.system === system);
  const newest = Math.max(0, ...ours.map((row) => row.number));
  const latest = Math.max(0, ...migrations.map((migration) => migration.number));
  if (newest > latest) {
    throw new LeaseError(
      `Schema "${schema}" was made by a newer version of Kannuki (${system} ${newest}, this version knows ${latest}): install that version, or use another schema.`,
      { code: 'schema-newer' },
    );
  }
  const checksums = new Map(ours.map((row) => [row.number, row.checksum]));
  for (const { number, checksum, name } of migrations) {
    const applied = checksums.get(number);
    if (applied === undefined || applied === checksum) continue;
    throw new LeaseError(
      `Migration ${system} ${number} ("${name}") in schema "${schema}" was applied with another text than this version has: the two versions do not belong together.`,
      { code: 'store-refused' },
    );
  }
  return migrations.filter(({ number }) => !checksums.has(number));
}

async function applySet(tx: SqlExecutor, schema: string, set: KnownSet): Promise<readonly AppliedMigration[]> {
  await tx.query({
    text: `select pg_advisory_xact_lock(hashtextextended($1, 0))`,
    values: [`kannuki migrate ${schema}`],
  });
  await ensureRecord(tx, schema);
  const missing = findMissing(set, (await readRecorded(tx, schema)) ?? [], schema);
  const quoted = `"${schema}"`;
  for (const migration of missing) {
    const { number, name, checksum } = migration;
    for (const text of migration.statements(quoted)) await tx.query({ text });
    await tx.query({
      text: `insert into ${quoted}.migrations (system, number, name, checksum) values ($1, $2, $3, $4)`,
      values: [set.system, number, name, checksum],
    });
  }
  return missing.map(({ number, name }) => ({ system: set.system, number, name }));
}

/** Looks before it creates: a user who may not create needs no right to find that nothing is missing. */
async function ensureRecord(tx: SqlExecutor, schema: string): Promise<void> {
  const { rows } = await tx.query<{ schema: boolean; record: boolean }>({
    text: `select to_regnamespace($1) is not null as schema, to_regclass($2) is not null as record`,
    values: [`"${schema}"`, `"${schema}".migrations`],
  });
  const [found] = rows;
  if (!found?.schema) await tx.query({ text: `create schema "${schema}"` });
  if (found?.record) return;
  await tx.query({
    text: `
create table "${schema}".migrations (
  system     text        not null,
  number     integer     not null,
  name       text        not null,
  checksum   text        not null,
  applied_at timestamptz not null default statement_timestamp(),
  primary key (system, number)
)`,
  });
}
