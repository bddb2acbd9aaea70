// A server over the store of its own process, on a free port; it ends with its parent.

import { migrate } from '../../../dist/index.js';
import {
  apiToken,
  changeMigrationsFor,
  createChangeFeed,
  createServerApp,
  serveApp,
} from '../../../dist/server/index.js';
import { postgresDatabase, postgresStore } from '../../../dist/stores/postgres/index.js';

const { url, secret, max } = JSON.parse(process.argv[2]);
const database = postgresDatabase({ connectionString: url, max });
const store = postgresStore({ database });
const sets = store.schema.migrations;
await migrate(database, [...sets, ...changeMigrationsFor(sets)]);
const app = createServerApp({
  store,
  tokens: [apiToken({ name: 'bench', role: 'operator', secret })],
  limits: unlimited(),
  systems: { changes: createChangeFeed({ database }) },
});
const server = await serveApp({ app, port: 0 });
process.send({ url: server.url });
process.once('disconnect', () => process.exit());

function unlimited() {
  const limit = { perSecond: 1e9, burst: 1e9, maxSources: 10 };
  return { caller: limit, anonymous: limit, signIn: limit, failure: limit };
}
