import type { MigrationSet } from '../core/ports.ts';
import { runOnceMigrations } from '../engine/run-once/run-once-migrations.ts';

/** Every table of `serve`: those of its leases, which come first, and of each system. */
export async function listServerMigrations(leases: readonly MigrationSet[]): Promise<readonly MigrationSet[]> {
  const [{ analysisMigrations }, { jobMigrations }, { reservationMigrations }, serverParts, { telemetryMigrations }] =
    await Promise.all([
      import('../systems/analysis/index.ts'),
      import('../systems/jobs/index.ts'),
      import('../systems/reservations/index.ts'),
      import('../server/index.ts'),
      import('../systems/telemetry/index.ts'),
    ]);
  const migrations = [
    ...leases,
    runOnceMigrations,
    serverParts.accessMigrations,
    analysisMigrations,
    jobMigrations,
    reservationMigrations,
    serverParts.signInMigrations,
    serverParts.bookingMigrations,
    telemetryMigrations,
  ];
  return [...migrations, ...serverParts.changeMigrationsFor(migrations)];
}
