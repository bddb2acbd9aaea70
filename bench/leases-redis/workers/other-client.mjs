// Another client of the same server: a GET every millisecond, whether or not the last was answered.
import { Redis } from 'ioredis';

const client = new Redis(Number(process.argv[2]), '127.0.0.1');
const nowMs = () => Number(process.hrtime.bigint() / 1000n) / 1000;
let samples = [];
for (let i = 0; i < 500; i++) await client.get('nothing');
setInterval(() => {
  const sent = nowMs();
  client.get('nothing').then(() => samples.push([sent, nowMs() - sent]));
}, 1);
process.on('message', (word) => {
  if (word === 'stop') process.send(samples);
  samples = [];
});
process.send('ready');
