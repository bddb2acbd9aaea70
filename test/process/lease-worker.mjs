// A process that holds real leases through the built package and does what its parent says.
// Times are nanoseconds of the monotonic clock, which all processes of one machine share.
import { createLeases } from 'kannuki';
import { openDocument } from './open-document.mjs';

const { store: spec, ttlMs } = JSON.parse(process.argv[2]);
const now = () => Number(process.hrtime.bigint() / 1000n);
const { store, document, close } = await openDocument(spec);
const leases = createLeases({ store, ttlMs, migrate: false, acceptMs: Math.min(2000, ttlMs * 0.75) });

let held;
const commands = {
  /** Takes the lease again and again; returns when each section began and ended, and its token. */
  async contend({ key, rounds }) {
    const sections = [];
    for (let i = 0; i < rounds; i++) {
      await leases.withLease(key, {}, async (lease) => {
        const enteredUs = now();
        // One turn of the loop, so that sections have a width in which others could slip in.
        await new Promise((resolve) => setImmediate(resolve));
        sections.push({ token: lease.token, enteredUs, leftUs: now() });
      });
    }
    return sections;
  },
  /** Holds the lease until told otherwise, with the document claimed and read. */
  async hold({ key, waitMs }) {
    const outcome = await leases.acquire(key, waitMs === undefined ? {} : { waitMs });
    if (!outcome.acquired) return { acquired: false, reason: outcome.reason };
    held = outcome.lease;
    const { claimed, value } = await document.claim(held, key);
    const unfenced = await document.readUnfenced(key);
    held.read = { value, unfenced };
    return { acquired: true, token: held.token, claimed, value, unfenced };
  },
  /** Writes what was read plus one, after asking the lease: as a careful program does. */
  async write({ key }) {
    await document.writeUnfenced(key, held.read.unfenced + 1);
    return { held: held.isHeld(), ...(await document.write(held, key, held.read.value + 1)) };
  },
  /** What a mistaken fence looks at before it writes. */
  async prepare({ key }) {
    held.prepared = await document.prepare(held, key);
    return held.prepared;
  },
  /** As if the write had been sent just before the process was stopped: no look at the lease. */
  async writeLate({ key }) {
    const sent = { token: held.token, isHeld: () => true };
    const { written } = await document.write(sent, key, held.read.value + 1, held.prepared);
    await document.writeUnfenced(key, held.read.unfenced + 1);
    return { written };
  },
  /** Delivers a write that somebody else had sent under an older token. */
  async deliver({ key, token, value }) {
    return document.write({ token, isHeld: () => true }, key, value);
  },
  async release() {
    return held.release();
  },
  async wall() {
    return Date.now();
  },
  async state() {
    return { held: held?.isHeld() ?? false, state: held?.state, aborted: held?.signal.aborted ?? false };
  },
  async end() {
    await leases.close();
    await close();
    setImmediate(() => process.exit(0));
    return true;
  },
};

process.on('disconnect', () => process.exit(1));
process.on('message', async ({ id, command, ...options }) => {
  try {
    process.send({ kind: 'answer', id, value: await commands[command](options) });
  } catch (error) {
    process.send({ kind: 'answer', id, error: error?.stack ?? String(error) });
  }
});
process.send({ kind: 'ready' });
