/** Runs in a tab: one AutoSave over the real lock and the real files, driven step by step by the test. */
import { initAutoSave } from '/dist/browser/autosave/index.js';
import { createProjectLock, takeOverProjectLock } from '/dist/browser/project-lock/index.js';
import { walk } from './lock-tab.mjs';
import { goOn, pauseAt, pausingFiles, plantBug } from './pausing-files.mjs';

export { goOn, plantBug, walk };

let lock;
let autosave;
let text = '';

/** What the promise came to, or the code of its failure. */
const outcome = (promise) => promise.catch(({ code, message }) => ({ code: code ?? message }));

/** Opens the project and restores what is saved. Resolves with the offer, when the tab may write or knows it may not. */
export async function open({ start = '', lockOptions, trusting = false, ...options } = {}) {
  text = start;
  lock = createProjectLock(lockOptions);
  if (trusting) await lock.acquireProjectLock();
  autosave = initAutoSave(() => text, { lock: trusting ? trustingLock() : lock, files: pausingFiles, ...options });
  return restore();
}

/** For the checker to catch: a lock that compares nothing on commit and believes for ever what it once knew. */
function trustingLock() {
  const known = lock.snapshot();
  const { signal } = new AbortController();
  return {
    ...lock,
    commit: (_, work) => work(signal),
    isHeld: () => true,
    snapshot: () => known,
    subscribe: () => () => {},
  };
}

export async function restore() {
  const offer = await outcome(autosave.restorePrompt());
  if (offer?.document !== undefined) text = offer.document;
  return offer;
}

export function type(added) {
  text += added;
  autosave.markChanged();
}

export const shown = () => text;
export const flush = () => outcome(autosave.flushNow().then(() => 'saved'));
export const dispose = () => autosave.dispose();
export const history = () => autosave.listHistory();
export const restoreFrom = (time) => outcome(autosave.restoreFrom(time));
export const restoreFromCurrent = () => outcome(autosave.restoreFromCurrent());
export const takeOver = (options) => outcome(takeOverProjectLock(options, lock).then(({ how }) => how));
export const acquire = () => outcome(lock.acquireProjectLock().then(() => 'held'));
export const renew = () => outcome(lock.renewProjectLock({ lease: lock.snapshot().lease }).then(({ token }) => token));

export function snapshot() {
  const { error, ...rest } = autosave.snapshot();
  return { ...rest, ...(error && { error: error.code }) };
}

export function untilPhase(...phases) {
  return new Promise((resolve) => {
    const look = () => {
      if (!phases.includes(autosave.snapshot().phase)) return;
      stop();
      resolve(snapshot());
    };
    const stop = autosave.subscribe(look);
    look();
  });
}

/** Starts a save and resolves when it stands at `point`. */
export function saveUntil(point, added) {
  const reached = pauseAt(point);
  type(added);
  window.kept = { flushed: flush() };
  return reached;
}

/** What became of the save that stood still. */
export const flushed = () => window.kept.flushed;

/** Saves one text after the other and tells the server of each that was acknowledged, until the tab is no more. */
export async function saveForEver() {
  for (let n = 1; ; n++) {
    await window.tell({ kind: 'begun', n });
    text = `text ${n} `.repeat(500);
    autosave.markChanged();
    await autosave.flushNow();
    await window.tell({ kind: 'saved', n });
  }
}

/** Saves without a pause until it is refused. Resolves with the token of the last save that was acknowledged. */
export async function saveUntilRefused() {
  let last;
  for (let n = 1; ; n++) {
    text = `text ${n}`;
    autosave.markChanged();
    try {
      await autosave.flushNow();
    } catch (error) {
      return { last, code: error.code, ...snapshot() };
    }
    last = autosave.snapshot().saved;
  }
}

/** Looks at `current.json` without a pause. Resolves with every step back of token or count that was seen. */
export async function watchCurrent(ms) {
  const endMs = performance.now() + ms;
  const steps = [];
  let before = { token: 0, seq: 0 };
  let looks = 0;
  while (performance.now() < endMs) {
    try {
      const { token, seq } = JSON.parse(await read('project/autosave/current.json'));
      if (token < before.token || (token === before.token && seq < before.seq)) steps.push({ before, token, seq });
      before = { token, seq };
      looks++;
    } catch (error) {
      // Renamed over between the two steps of a look: look again. Anything else is worth a word.
      if (error.name !== 'NotReadableError' && error.name !== 'NotFoundError') throw error;
    }
  }
  return { steps, looks, token: before.token };
}

/** Types on and on, and tells when each word was typed and how long the longest save took so far. */
export async function typeForEver(pauseMs) {
  let sinceMs = 0;
  let longestMs = 0;
  autosave.subscribe(() => {
    const { phase } = autosave.snapshot();
    if (phase === 'writing-current') sinceMs ||= performance.now();
    else if (phase === 'idle' || phase === 'debouncing') {
      if (sinceMs) longestMs = Math.max(longestMs, performance.now() - sinceMs);
      sinceMs = 0;
    }
  });
  for (let n = 1; ; n++) {
    type(`${n} `);
    void window.tell({ kind: 'typed', n, atMs: Date.now(), longestMs });
    await new Promise((done) => setTimeout(done, pauseMs));
  }
}

/** Writes a file as somebody else might have left it. */
export async function put(path, content) {
  const parts = path.split('/');
  let folder = await navigator.storage.getDirectory();
  for (const name of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(name, { create: true });
  const writable = await (await folder.getFileHandle(parts.at(-1), { create: true })).createWritable();
  await writable.write(content);
  await writable.close();
}

export async function read(path) {
  const parts = path.split('/');
  let folder = await navigator.storage.getDirectory();
  for (const name of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(name);
  return (await (await folder.getFileHandle(parts.at(-1))).getFile()).text();
}

/** Bytes of all files of AutoSave. */
export async function usedBytes() {
  let sum = 0;
  for (const path of await walk()) {
    if (!path.startsWith('project/autosave/')) continue;
    const parts = path.split('/');
    let folder = await navigator.storage.getDirectory();
    for (const name of parts.slice(0, -1)) folder = await folder.getDirectoryHandle(name);
    sum += (await (await folder.getFileHandle(parts.at(-1))).getFile()).size;
  }
  return sum;
}
