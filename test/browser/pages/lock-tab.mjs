/** Runs in a tab: one project lock, driven step by step by the test. Everything that happens is kept. */
import { createProjectLock, openProjectLockSession, takeOverProjectLock } from '/dist/browser/project-lock/index.js';
import { nap } from './race-tab.mjs';

export { nap, openProjectLockSession };

const events = [];
let lock;
let lease;

/** `code` of the failure, or what it came to. */
const outcome = (promise, good) => promise.then(good, (error) => ({ code: error.code, cause: error.cause?.code }));

export function open(options = {}) {
  lock = createProjectLock(options);
  window.kept = { lock };
  lock.subscribeLockEvents(({ type, reason, code }) => events.push([type, reason ?? code].filter(Boolean).join(' ')));
}

export const acquire = (options) =>
  outcome(lock.acquireProjectLock(options), (got) => {
    lease = got.lease;
    return lease;
  });

export const release = (options = {}) => outcome(lock.releaseProjectLock({ lease, ...options }), () => 'released');

export const renew = (options = {}) => outcome(lock.renewProjectLock({ lease, ...options }), ({ token }) => token);

export const takeOver = (options) =>
  outcome(takeOverProjectLock(options, lock), (got) => {
    lease = got.lease;
    return { how: got.how, ...lease };
  });

/** Saves as AutoSave does: bytes first, then a rename inside the mutex. */
export const save = (text) =>
  outcome(
    (async () => {
      const root = await navigator.storage.getDirectory();
      const project = await root.getDirectoryHandle('project', { create: true });
      const temporary = await project.getFileHandle(`.tmp-${lease.token}`, { create: true });
      const writable = await temporary.createWritable();
      await writable.write(text);
      await writable.close();
      await lock.commit(lease, async (signal) => {
        signal.throwIfAborted();
        await temporary.move(project, 'document.txt');
      });
    })(),
    () => 'saved',
  );

export async function saved() {
  const project = await (await navigator.storage.getDirectory()).getDirectoryHandle('project');
  return (await (await project.getFileHandle('document.txt')).getFile()).text();
}

export const isHeld = () => !!lease && lock.isHeld(lease);
export const state = () => lock.snapshot().state;
export const reason = () => lock.snapshot().readonly?.reason;
export const happened = () => events.splice(0);
export const onRequest = (text) => lock.onTakeOverRequest(text === undefined ? undefined : () => save(text));

/** The main thread is busy: no message is read, no timer runs. */
export function hang(ms) {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

/** Writes `.lock` as somebody else might have left it. */
export async function putLock(bytes) {
  const project = await (await navigator.storage.getDirectory()).getDirectoryHandle('project', { create: true });
  const writable = await (await project.getFileHandle('.lock', { create: true })).createWritable();
  await writable.write(typeof bytes === 'number' ? new Uint8Array(bytes).fill(120) : bytes);
  await writable.close();
}

export async function lockSize() {
  const project = await (await navigator.storage.getDirectory()).getDirectoryHandle('project');
  return (await (await project.getFileHandle('.lock')).getFile()).size;
}

/** Every file of the origin's private file system. */
export async function walk(folder, path = '') {
  const found = [];
  for await (const [name, handle] of (folder ?? (await navigator.storage.getDirectory())).entries()) {
    if (handle.kind === 'directory') found.push(...(await walk(handle, `${path}${name}/`)));
    else found.push(path + name);
  }
  return found.sort();
}
