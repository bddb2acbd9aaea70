// One lock in a process of its own: as many cycles as its parent asks for, timed. In one process the locks would share
// the client library's compiled code, which then suits none of them; in life a process uses one lock.
import { bareRedis, redisLocks } from '../../redis-locks.mjs';

const [port, name] = process.argv.slice(2);
const { cycle } = await (redisLocks[name] ?? bareRedis).open(Number(port));
const keys = Array.from({ length: 16 }, (_, i) => `${name.replaceAll(/[^a-z]/g, '')}-${i}`);
process.on('message', async (count) => {
  const startMs = performance.now();
  for (let i = 0; i < count; i++) await cycle(keys[i % keys.length]);
  process.send({ microseconds: ((performance.now() - startMs) * 1000) / count });
});
process.send('ready');
