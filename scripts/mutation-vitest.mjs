/** How `npm run mutation` runs its judges. In Stryker's copy of the repository, one process per half of the mutants. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '#platform': fileURLToPath(new URL('../src/platform/node.ts', import.meta.url)) } },
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: JSON.parse(process.env.KANNUKI_MUTATION_TESTS ?? '[]'),
    isolate: false,
    // In virtual time; whatever takes longer waits for something that a mutant does not do.
    testTimeout: 5_000,
  },
});
