/** Whether a database has the tables this version needs, without changing anything. */
import { LeaseError } from '../core/errors.ts';
import type { MigrationSet, SqlDatabase } from '../core/ports.ts';

export type MigrationState =
  | { readonly kind: 'current' }
  | { readonly kind: 'missing'; readonly count: number }
  | { readonly kind: 'newer'; readonly system: string; readonly number: number };

export async function readMigrationState(
  database: SqlDatabase,
  sets: readonly MigrationSet[],
): Promise<MigrationState> {
  const recorded = await readRecorded(database);
  let missing = 0;
  for (const { system, migrations } of sets) {
    const applied = recorded.filter((row) => row.system === system).map((row) => row.number);
    const known = migrations.map((migration) => migration.number);
    const newest = Math.max(0, ...applied);
    if (newest > Math.max(0, ...known)) return { kind: 'newer', system, number: newest };
    missing += known.filter((number) => !applied.includes(number)).length;
  }
  return missing === 0 ? { kind: 'current' } : { kind: 'missing', count: missing };
}

interface Recorded {
  readonly system: string;
  readonly number: number;
}

async function readRecorded(database: SqlDatabase): Promise<readonly Recorded[]> {
  try {
    const { rows } = await database.query<Recorded>({
      text: `select system, number from "${database.schema}".migrations`,
    });
    return rows;
  } catch (error) {
    if (isMissingTable(error)) return [];
    throw error;
  }
}

/** PostgreSQL's undefined_table and invalid_schema_name, also as the cause of what a store made of them. */
function isMissingTable(error: unknown): boolean {
  const states = [error, error instanceof LeaseError ? error.cause : undefined].map((one) =>
    typeof one === 'object' && one !== null && 'code' in one ? one.code : undefined,
  );
  return states.includes('42P01') || states.includes('3F000');
}
