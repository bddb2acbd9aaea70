import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from '#platform';
import { fileStore } from '../../src/stores/file/file-store.ts';
import { sweepFileStore } from '../../src/stores/file/sweep-file-store.ts';
import { runConformance } from './run-conformance.ts';

runConformance('file store', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'kannuki-conformance-'));
  const { clock } = platform;
  return {
    component: 'files',
    openStore: async () => fileStore({ dir }),
    // Nothing runs but the clients, and those are new.
    restart: async () => {},
    async forget() {
      // The sweep takes what was idle for long: it is told that it is tomorrow.
      const tomorrow = { after: clock.after, wallMs: () => clock.wallMs() + 86_400_000 };
      await sweepFileStore({ dir, olderThanMs: 3_600_000, clock: tomorrow });
    },
    close: () => rm(dir, { recursive: true, force: true }),
  };
});
