// A worker whose handler never gives the event loop back.
import { writeSync } from 'node:fs';
import { createJobs } from 'kannuki/jobs';
import { postgresDatabase } from 'kannuki/postgres';

const database = postgresDatabase({ connectionString: process.argv[2] });
const jobs = createJobs({ database });
jobs.define({
  name: 'block',
  backoff: { baseMs: 0, maxMs: 0 },
  handler: () => {
    // Written at once: nothing that waits for the loop would ever leave.
    writeSync(1, 'blocked\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
await jobs.startWorker();
