/**
 * Brings a backup back, into any PostgreSQL or PGlite, in one transaction: after a failure the target is as before.
 *
 *   1  the whole file is checked; the target must be empty, unless told otherwise, unused, and not behind in time
 *   2  the tables are made by the migrations they had when the backup was taken
 *   3  the rows are inserted; triggers sleep meanwhile
 *   4  numbers are raised above everything the old store can have given out, also after the backup was taken
 *   5  the migrations since then follow
 *
 * Step 4 is what keeps "granted once" true over a restore. Tokens are made by the store's clock, so the clock of the
 * target at the restore, the floor, lies above every token of a store that was stopped before. Every lease, fence and
 * lock of the file is raised to the floor: an old holder is refused, a new one gets more. A lease that was in force
 * stays so until its end, and nobody can renew it. Ids of rows leave a gap for what the old store made meanwhile.
 */
import type { MigrationSet, SqlDatabase, SqlExecutor } from '../core/ports.ts';
import { describeMigrations, migrateWithin, type RecordedMigration } from '../engine/migrate.ts';
import { BackupError } from './backup-error.ts';
import { type CheckedBackup, checkBackup } from './check-backup.ts';
import { loadRows } from './load-rows.ts';
import { raiseSequences } from './raise-sequences.ts';
import { quoteName, readTables } from './read-tables.ts';
import type { BackupProgress } from './write-backup.ts';

export interface RestoreBackupOptions {
  readonly file: string;
  /** Every set that this version has. */
  readonly migrations: readonly MigrationSet[];
  /** Remove what the target holds. @default false */
  readonly replace?: boolean;
  readonly onProgress?: (progress: BackupProgress) => void;
}

export interface RestoreSummary extends CheckedBackup {
  /** Every token given out from now on is higher, every one before is lower. */
  readonly floorToken: number;
}

export async function restoreBackup(database: SqlDatabase, options: RestoreBackupOptions): Promise<RestoreSummary> {
  const { file, migrations, replace = false, onProgress } = options;
  const checked = await checkBackup(file);
  const sets = await setsOf(file, checked.header.migrations, migrations);
  const { schema } = database;
  const floorToken = await database.transaction(async (tx) => {
    await refuseUsed(tx);
    await clearTarget(tx, schema, replace);
    await migrateWithin(tx, schema, sets);
    const sequences = await loadRows(tx, schema, { file, onProgress });
    const clockUs = await readClock(tx);
    refuseSlowClock(checked, clockUs);
    await raiseSequences(tx, schema, sequences, (clockUs - checked.header.clockUs) / 1_000_000);
    for (const { afterRestore } of migrations) {
      for (const text of afterRestore?.(`"${schema}"`) ?? []) await tx.query({ text, values: [clockUs] });
    }
    await migrateWithin(tx, schema, migrations);
    return clockUs;
  });
  return { ...checked, floorToken };
}

/** The sets as they were when the backup was taken. */
async function setsOf(
  file: string,
  recorded: readonly RecordedMigration[],
  known: readonly MigrationSet[],
): Promise<readonly MigrationSet[]> {
  const checksums = await describeMigrations(known);
  for (const { system, number, checksum } of recorded) {
    const ours = checksums.find((one) => one.system === system && one.number === number);
    if (!ours) {
      throw new BackupError(
        `${file} has tables of a newer version of Kannuki (${system} ${number}): install that version, and restore with it.`,
        { code: 'newer' },
      );
    }
    if (ours.checksum !== checksum) {
      throw new BackupError(
        `${file} has tables (${system} ${number}) that no released version of Kannuki makes: restore it with the version that wrote it.`,
        { code: 'newer' },
      );
    }
  }
  return known.map((set) => ({
    ...set,
    migrations: set.migrations.filter(({ number }) =>
      recorded.some((one) => one.system === set.system && one.number === number),
    ),
  }));
}

/** Running programs would go on with what they remember of the tables that are about to go. */
async function refuseUsed(tx: SqlExecutor): Promise<void> {
  const { rows } = await tx.query<{ others: number }>({
    text: `
select count(*)::int as others from pg_stat_activity
where datname = current_database() and application_name like 'kannuki%' and pid <> pg_backend_pid()`,
  });
  const others = rows[0]?.others ?? 0;
  if (others === 0) return;
  throw new BackupError(
    `Programs of Kannuki are using this database (${others} connection${others === 1 ? '' : 's'}): stop them first.`,
    { code: 'in-use' },
  );
}

async function clearTarget(tx: SqlExecutor, schema: string, replace: boolean): Promise<void> {
  const filled: string[] = [];
  for (const { name } of await readTables(tx, schema)) {
    // What the migrations put there themselves is no data: the fence of jobs, at 0.
    const only = name === 'fences' ? ' where token > 0' : '';
    const { rows } = await tx.query({ text: `select 1 as row from "${schema}".${quoteName(name)}${only} limit 1` });
    if (rows.length > 0) filled.push(name);
  }
  if (filled.length > 0 && !replace) {
    throw new BackupError(
      `The database to restore into is not empty (${filled.slice(0, 3).join(', ')}${filled.length > 3 ? ', …' : ''}): use a new one, or say --replace to remove what is there.`,
      { code: 'not-empty' },
    );
  }
  await tx.query({ text: `drop schema if exists "${schema}" cascade` });
}

async function readClock(tx: SqlExecutor): Promise<number> {
  const { rows } = await tx.query<{ us: number }>({
    text: `select (date_part('epoch', clock_timestamp()) * 1000000)::bigint as us`,
  });
  return Number(rows[0]?.us);
}

function refuseSlowClock({ header }: CheckedBackup, clockUs: number): void {
  if (clockUs > header.clockUs) return;
  const seconds = Math.ceil((header.clockUs - clockUs) / 1_000_000);
  throw new BackupError(
    `The clock of the database to restore into is ${seconds} s behind that of the backup, so its fencing tokens would be too low: set it right.`,
    { code: 'clock-behind' },
  );
}
