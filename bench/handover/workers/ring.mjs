// One process of a ring, without any lease: told by the one before it, it works for 5 ms and tells the next with the one
// script that any hand-over needs at least, which notes who has it now and publishes.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

const [port, place, processes, hops] = process.argv.slice(2);
const next = (Number(place) + 1) % Number(processes);
const [client, listener] = [1, 2].map(() => new Redis(Number(port), '127.0.0.1'));
const text = `redis.call('SET', KEYS[1], ARGV[2], 'PX', 10000) return redis.call('PUBLISH', ARGV[1], ARGV[2])`;
const sha = await client.script('LOAD', text);

async function work(lap, hop) {
  await sleep(5);
  if (hop >= Number(hops)) process.send({ over: true });
  else await client.evalsha(sha, 1, lap, `${lap}-${next}`, String(hop + 1));
}

listener.on('message', (channel, hop) => void work(channel.slice(0, channel.lastIndexOf('-')), Number(hop)));
process.on('message', async ({ lap, start }) => {
  await listener.subscribe(`${lap}-${place}`);
  if (start) await work(lap, 1);
  else process.send('ready');
});
process.send('ready');
