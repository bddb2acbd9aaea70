/**
 * Two designs that do not work, for the checker to catch. They write to a folder of their own.
 *   literal:  the holder of the Web Lock writes no record; whoever times out looks at `.lock` alone.
 *   readBack: no mutex; write the record, wait, read it back.
 */
import { nap } from './race-tab.mjs';

const folder = async () => (await navigator.storage.getDirectory()).getDirectoryHandle('planted', { create: true });

async function readRecord() {
  try {
    return JSON.parse(await (await (await (await folder()).getFileHandle('.lock')).getFile()).text());
  } catch {
    return undefined;
  }
}

async function writeRecord(record) {
  try {
    const writable = await (await (await folder()).getFileHandle('.lock', { create: true })).createWritable();
    await writable.write(JSON.stringify(record));
    await writable.close();
  } catch {
    // Another tab writes at this moment.
  }
}

const isLive = (record) => record?.leaseId && record.expiresAt > Date.now();
const newRecord = (leaseId) => ({ leaseId, expiresAt: Date.now() + 30_000 });

async function section({ id, run, tab, holdMs }) {
  await window.tell({ kind: 'enter', id, run, tab, token: Date.now() });
  await nap(holdMs);
  await window.tell({ kind: 'exit', id, run });
}

export async function literal({ n, run, tab, maxWaitMs = 15, holdMs = 30 }) {
  for (let i = 0; i < n; i++) {
    const id = crypto.randomUUID();
    let letGo;
    const until = new Promise((done) => {
      letGo = done;
    });
    const byWebLock = await new Promise((answer) => {
      navigator.locks
        .request('planted', { signal: AbortSignal.timeout(maxWaitMs) }, () => {
          answer(true);
          return until;
        })
        .catch(() => answer(false));
    });
    if (!byWebLock) {
      if (isLive(await readRecord())) {
        i--;
        await nap(5);
        continue;
      }
      await writeRecord(newRecord(id));
    }
    await section({ id, run, tab, holdMs });
    letGo();
    if (!byWebLock) await writeRecord({});
    await nap(Math.random() * 5);
  }
}

export async function readBack({ n, run, tab, waitMs = 10, stallMs = 40, holdMs = 60 }) {
  for (let i = 0; i < n; i++) {
    const id = crypto.randomUUID();
    for (;;) {
      await nap(Math.random() * 8);
      if (isLive(await readRecord())) continue;
      // The page is busy with something else between reading and writing, as pages are.
      if (Math.random() < 0.5) await nap(stallMs);
      await writeRecord(newRecord(id));
      await nap(waitMs);
      if ((await readRecord())?.leaseId === id) break;
    }
    await section({ id, run, tab, holdMs });
    if ((await readRecord())?.leaseId === id) await writeRecord({});
  }
}
