/** The guards of the statements, on the oldest and the newest server we support. */
import { afterAll, beforeAll, describe } from 'vitest';
import { testGuardRules } from './guard-rules.ts';
import { type JobsRigs, type JobsServer, openJobsRigs, startJobsServer } from './jobs-rig.ts';
import { testModelHoles } from './model-holes.ts';

describe.each([15, 18] as const)('guards on PostgreSQL %i', (major) => {
  let server: JobsServer;
  let rigs: JobsRigs;
  beforeAll(async () => {
    server = await startJobsServer(major);
    rigs = await openJobsRigs(server);
  });
  afterAll(async () => {
    await rigs?.close();
    await server?.stop();
  });

  testModelHoles(() => rigs);
  testGuardRules(() => rigs);
});
