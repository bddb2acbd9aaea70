import { memoryStore } from '../../src/stores/memory/memory-store.ts';
import { runConformance } from './run-conformance.ts';

runConformance('memory store', async () => {
  const store = memoryStore();
  return {
    component: 'memory',
    // Clients of one memory are the same object; closing one must not close the others.
    openStore: async () => ({ ...store, close: async () => {} }),
    close: () => store.close(),
  };
});
