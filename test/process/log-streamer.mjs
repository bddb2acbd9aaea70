// A worker in miniature that runs one very talkative command, archives its log and reads it back, in little memory.
import { postgresDatabase } from 'kannuki/postgres';
import { commandHandler } from '../../dist/systems/jobs/handlers/command-handler.js';
import { archiveLogs } from '../../dist/systems/jobs/logs/archive-logs.js';
import { folderArchive } from '../../dist/systems/jobs/logs/folder-archive.js';
import { createLogWriter } from '../../dist/systems/jobs/logs/log-writer.js';
import { readLog } from '../../dist/systems/jobs/logs/read-log.js';

const { url, dir, megabytes } = JSON.parse(process.argv[2]);
const database = postgresDatabase({ connectionString: url, max: 2, listen: false });
const writer = createLogWriter({ database });
const run = { id: 7, job: 'talk', attempt: 1, scheduledForMs: null };
const lines = megabytes * 10_000;

const startMs = performance.now();
const handler = commandHandler({ command: ['sh', '-c', `yes "$0" | head -n ${lines}`, 'x'.repeat(99)] });
await handler({
  run,
  payload: null,
  signal: new AbortController().signal,
  startToken: 1,
  log: (line) => writer.append(run.id, run.attempt, line),
  flushLog: () => writer.flush(),
});
await writer.close();
const writeMs = performance.now() - startMs;

async function count(archive) {
  let after;
  for (let seen = 0; ; ) {
    const page = await readLog({ database, archive, runId: run.id, limit: 10_000, ...(after && { after }) });
    seen += page.lines.filter(({ text }) => text.length === 99).length;
    if (!page.more) return seen;
    after = page.next;
  }
}

const storedMs = performance.now();
const stored = await count();
const readStoredMs = performance.now() - storedMs;
await database.query({ text: `update kannuki.job_run_logs set at = at - interval '1 day'` });
const archive = folderArchive({ dir });
const { archived, bytes } = await archiveLogs({ database, archive, retentionSeconds: 60 });
const archivedMs = performance.now();
const read = await count(archive);
const readArchivedMs = performance.now() - archivedMs;
await database.close();
const peakMegabytes = process.resourceUsage().maxRSS / 1024;
process.send({ stored, archived, bytes, read, lines, peakMegabytes, writeMs, readStoredMs, readArchivedMs });
process.disconnect();
