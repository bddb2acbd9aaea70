/**
 * The origin private file system with places to stop at: `pauseAt(point)` makes the next operation that reaches it stand
 * still, tells the test, and waits for `goOn`. A tab that is killed there is killed in the middle of a save.
 *
 * `plantBug()` makes every rename remove its target first, as a careless save would: for the checker to catch.
 */
let planted = false;
let wanted;
let release;

/** Resolves with the point when it is reached. */
export function pauseAt(point) {
  return new Promise((reached) => {
    wanted = { point, reached };
  });
}

export function plantBug() {
  planted = true;
}

export function goOn() {
  release?.();
}

async function at(point) {
  if (wanted?.point !== point) return;
  const { reached } = wanted;
  wanted = undefined;
  const standing = new Promise((resolve) => {
    release = resolve;
  });
  reached(point);
  await standing;
}

const partOf = (name) => ({ c: 'current', h: 'history', i: 'index' })[/^\.tmp-.*-([chi])$/.exec(name)?.[1]];
const real = new WeakMap();

export async function pausingFiles() {
  return folder(await navigator.storage.getDirectory());
}

function folder(handle) {
  const wrapped = {
    keys: () => handle.keys(),
    getDirectoryHandle: async (name, options) => folder(await handle.getDirectoryHandle(name, options)),
    async getFileHandle(name, options) {
      const got = await handle.getFileHandle(name, options);
      if (options?.create) await at(`${partOf(name)}: created`);
      return file(got, name);
    },
    async removeEntry(name, options) {
      const isSurplus = handle.name === 'history';
      if (isSurplus) await at('surplus: before');
      await handle.removeEntry(name, options);
      if (isSurplus) await at('surplus: after');
    },
  };
  real.set(wrapped, handle);
  return wrapped;
}

function file(handle, name) {
  return {
    getFile: () => handle.getFile(),
    async createWritable() {
      const writable = await handle.createWritable();
      return {
        async write({ data }) {
          const half = data.length >> 1;
          await writable.write({ type: 'write', position: 0, data: data.subarray(0, half) });
          await at(`${partOf(name)}: half written`);
          await writable.write({ type: 'write', position: half, data: data.subarray(half) });
        },
        async close() {
          await writable.close();
          await at(`${partOf(name)}: written`);
        },
        abort: () => writable.abort(),
      };
    },
    async move(to, newName) {
      await at(`${partOf(name)}: before rename`);
      if (planted) {
        await real.get(to).removeEntry(newName);
        await at(`${partOf(name)}: target removed`);
      }
      await handle.move(real.get(to), newName);
      await at(`${partOf(name)}: renamed`);
    },
  };
}
