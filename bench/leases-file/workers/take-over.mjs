// One of the racers: waits for the moment it is told, tries once, says whether it got the lease. Arguments: kind, dir.
import { join } from 'node:path';
import lockfile from 'proper-lockfile';
import { fileStore } from '../../../dist/stores/file/index.js';

const [kind, dir] = process.argv.slice(2);
const store = fileStore({ dir });
let attempts = 0;

const tryOnce = {
  async kannuki(key) {
    const owner = `${process.pid}.${++attempts}@racer`;
    const reply = await store.acquire({ key, owner, ttlMs: 60_000, line: false });
    return reply.granted;
  },
  async 'proper-lockfile'(key) {
    try {
      const options = { stale: 2_000, realpath: false, retries: 0, onCompromised: () => undefined };
      await lockfile.lock(join(dir, key), options);
      return true;
    } catch {
      return false;
    }
  },
};

process.on('message', async ({ key, atMs }) => {
  // Busy waiting, because a timer would spread the racers over a millisecond.
  while (Date.now() < atMs);
  process.send(await tryOnce[kind](key));
});
process.on('disconnect', () => process.exit());
process.send('ready');
