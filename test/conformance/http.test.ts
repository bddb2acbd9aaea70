import { apiToken, createServerApp, serveApp } from '../../src/server/index.ts';
import { openHttpStore } from '../../src/stores/http/index.ts';
import { memoryStore } from '../../src/stores/memory/memory-store.ts';
import { runConformance } from './run-conformance.ts';

runConformance('HTTP store', async () => {
  const store = memoryStore();
  const secret = 'conformance'.repeat(4);
  const start = (port: number) =>
    serveApp({ app: createServerApp({ store, tokens: [apiToken({ name: 'test', role: 'operator', secret })] }), port });
  let server = await start(0);
  return {
    component: 'HTTP server over memory',
    openStore: () => openHttpStore({ url: server.url, token: secret }),
    /** The server keeps nothing: what it served before, it serves again. */
    async restart() {
      const { port } = server;
      await server.close();
      server = await start(port);
    },
    async close() {
      await server.close();
      await store.close();
    },
  };
});
