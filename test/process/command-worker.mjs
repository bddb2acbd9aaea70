// A worker in miniature: runs one command through the built handler and is killed in the middle of it.
import { commandHandler } from '../../dist/systems/jobs/handlers/command-handler.js';

const [graceMs, ...command] = process.argv.slice(2);
const handler = commandHandler({ command, graceMs: Number(graceMs) });
await handler({
  run: { id: 1, job: 'long', attempt: 1, scheduledForMs: null },
  payload: null,
  signal: new AbortController().signal,
  startToken: 1,
  log: (line) => process.send({ line }),
  flushLog: () => Promise.resolve(),
});
