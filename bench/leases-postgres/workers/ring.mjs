// One process of a ring: told by the one before it, it works for 5 ms and tells the next with one durable statement.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const [url, ring, place, processes, hops] = process.argv.slice(2);
const next = (Number(place) + 1) % Number(processes);
const [client, listener] = [1, 2].map(() => new pg.Client({ connectionString: url }));
await Promise.all([client.connect(), listener.connect()]);
if (place === '0') {
  await client.query('create table if not exists ring (name text primary key, hop int not null)');
  await client.query('insert into ring values ($1, 0)', [ring]);
}
const text = `update ring set hop = hop + 1 where name = $1 returning pg_notify($2, $3)`;
const pass = (hop) => client.query({ name: 'pass', text, values: [ring, `${ring}_${next}`, String(hop)] });

async function work(hop) {
  await sleep(5);
  if (hop >= Number(hops)) process.send({ over: true });
  else await pass(hop + 1);
}

listener.on('notification', ({ payload }) => void work(Number(payload)));
await listener.query(`listen "${ring}_${place}"`);
process.on('message', () => void work(1));
process.send('ready');
