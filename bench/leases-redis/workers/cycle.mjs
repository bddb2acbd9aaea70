// Times the cycles of all locks that run on this Node.
import { compareCycles } from '../../compare-cycles.mjs';
import { bareRedis, newestOnly, redisLocks } from '../../redis-locks.mjs';

const [port, which, length] = process.argv.slice(2);
const bare = 'limit: SET NX PX + compare and delete';
const kinds = { [bare]: bareRedis, ...redisLocks };
if (which !== 'all') delete kinds[newestOnly];
const cycles = {};
for (const [name, kind] of Object.entries(kinds)) {
  const { cycle } = await kind.open(Number(port));
  const prefix = name.replaceAll(/[^a-z]/g, '');
  cycles[name] = (i) => cycle(`${prefix}-${i % 16}`);
}
const sizes =
  length === 'quick' ? { batch: 50, rounds: 21, warmUp: 2_000 } : { batch: 50, rounds: 151, warmUp: 15_000 };
process.send(await compareCycles(cycles, { base: [bare, '@verrou/core 0.5.2', 'redis-semaphore 5.8.0'], ...sizes }));
