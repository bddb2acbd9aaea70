// Measures one question on one system, in a process of its own: measure.mjs <JSON>; the answer is the last line.
const { system, question, jobs, samples, ...options } = JSON.parse(process.argv[2]);
const { openSystem } = await import(`./${system}.mjs`);
const opened = await openSystem(options);
const answer = {};
let pin;

async function enqueue() {
  const start = performance.now();
  await opened.enqueue(jobs);
  answer.enqueuedPerSecond = (jobs / (performance.now() - start)) * 1_000;
}

if (question === 'enqueue') await enqueue();
/** An idle session with an old snapshot: nothing that dies from now on can be swept. */
async function openPin() {
  const { default: pg } = await import('pg');
  pin = new pg.Client(options.url);
  await pin.connect();
  await pin.query('begin isolation level repeatable read');
  await pin.query('select count(*) from pg_class');
}

if (question === 'drain' || question === 'drain-then-latency') {
  const begun = performance.now();
  await enqueue();
  await opened.settle();
  if (options.pinned) await openPin();
  const start = opened.drainsWhileEnqueuing ? begun : performance.now();
  const before = process.cpuUsage();
  const stop = await opened.drain(jobs);
  const { user, system: kernel } = process.cpuUsage(before);
  answer.clientMicrosPerJob = (user + kernel) / jobs;
  answer.drainedPerSecond = (jobs / (performance.now() - start)) * 1_000;
  await stop();
  answer.rowsHeld = opened.rowsHeld?.();
}
if (question === 'latency' || question === 'drain-then-latency') {
  const times = (await opened.latency(samples)).sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))];
  Object.assign(answer, { p50: at(0.5), p99: at(0.99) });
}
answer.peakMegabytes = process.resourceUsage().maxRSS / 1024;
await pin?.end();
await opened.close();
process.stdout.write(`\n${JSON.stringify(answer)}\n`);
process.exit(0);
