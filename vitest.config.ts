import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Each project is one stage of `npm test` (scripts/test.mjs), or part of one. */
const projects: Readonly<Record<string, string>> = {
  access: 'test/access/**/*.test.ts',
  unit: 'src/**/*.test.ts',
  browser: 'test/browser/**/*.test.ts',
  jobs: 'test/jobs/**/*.test.ts',
  conformance: 'test/conformance/**/*.test.ts',
  linearizability: 'test/linearizability/**/*.test.ts',
  models: 'test/models/**/*.test.ts',
  package: 'test/package/**/*.test.ts',
  processes: 'test/process/**/*.test.ts',
  reservations: 'test/reservations/**/*.test.ts',
  simulation: 'test/simulation/**/*.test.ts',
  tidy: 'test/tidy/**/*.test.ts',
  web: 'test/web/**/*.test.ts',
};

export default defineConfig({
  resolve: {
    // Without this, `#platform` would resolve to dist, and a test would run against the last build.
    alias: {
      '#platform': fileURLToPath(new URL('src/platform/node.ts', import.meta.url)),
      // A new database in memory costs seconds; a copy of one does not.
      '@electric-sql/pglite': fileURLToPath(new URL('test/servers/quick-pglite.ts', import.meta.url)),
    },
  },
  test: {
    // Its own second is not enough on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    globals: false,
    hookTimeout: 180_000,
    maxWorkers: 2,
    pool: 'forks',
    projects: Object.entries(projects).map(([name, include]) => ({
      extends: true as const,
      // Unit files share their process: a new one for each of them took a third of the stage's time.
      test: { name, include: [include], isolate: name !== 'unit' },
    })),
    testTimeout: 90_000,
  },
});
