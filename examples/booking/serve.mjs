/** node examples/booking/serve.mjs [--port N] [--database memory]: a booking site, offline. Ctrl+C ends it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAdaptorServer } from '@hono/node-server';
import { migrate } from 'kannuki';
import { openEmbedded } from 'kannuki/embedded';
import { pgliteDatabase } from 'kannuki/pglite';
import { reservationMigrations } from 'kannuki/reservations';
import { bookingSite } from './booking-site.mjs';
import { timeMachine } from './time-machine.mjs';

const { values } = parseArgs({ options: { port: { type: 'string' }, database: { type: 'string' } } });

const dir = values.database === 'memory' ? undefined : await mkdtemp(join(tmpdir(), 'kannuki-booking-'));
const database = dir === undefined ? pgliteDatabase({ dir: 'memory' }) : await openEmbedded({ dir });
await migrate(database, [reservationMigrations]);
const time = await timeMachine(database);

let site;
const server = createAdaptorServer({
  fetch: (request) => site?.fetch(request) ?? new Response('Starting.\n', { status: 503 }),
  overrideGlobalObjects: false,
});
server.listen(Number(values.port ?? 0), '127.0.0.1', async () => {
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  site = await bookingSite({ database, baseUrl, time });
  console.log(`The booking site is at ${baseUrl}`);
});

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());

async function stop() {
  server.closeAllConnections();
  server.close();
  await site?.close();
  await database.close();
  if (dir !== undefined) await rm(dir, { recursive: true, force: true });
}
