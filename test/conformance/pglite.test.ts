import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/engine/migrate.ts';
import { leaseMigrations } from '../../src/sql/lease-migrations.ts';
import { pgliteDatabase } from '../../src/stores/pglite/pglite-database.ts';
import { pgliteStore } from '../../src/stores/pglite/pglite-store.ts';
import { runConformance } from './run-conformance.ts';

runConformance('PGlite store', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'kannuki-conformance-'));
  const manifest = new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  let database = pgliteDatabase({ dir });
  await migrate(database, [leaseMigrations]);
  return {
    component: `PGlite ${version}`,
    openStore: async () => pgliteStore({ database }),
    async restart() {
      await database.close();
      database = pgliteDatabase({ dir });
    },
    async forget(key) {
      await database.query({ text: `delete from "${database.schema}".leases where key = $1`, values: [key] });
    },
    async close() {
      await database.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
});
