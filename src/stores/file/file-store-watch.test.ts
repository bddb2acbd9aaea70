import { describe, expect, it } from 'vitest';
import { makeFolder, newOwner, release } from '../../../test/stores/still-machine.ts';
import type { AcquireReply, LeaseStore } from '../../core/ports.ts';
import { fileStore } from './file-store.ts';

/** Two processes on the machine's own clocks. */
function setup() {
  const dir = makeFolder();
  return { a: fileStore({ dir }), b: fileStore({ dir }) };
}

function acquire(store: LeaseStore, key: string, owner: string): Promise<AcquireReply> {
  return store.acquire({ key, owner, ttlMs: 60_000, line: false });
}

async function granted(store: LeaseStore, key: string, owner: string) {
  const reply = await acquire(store, key, owner);
  if (!reply.granted) throw new Error(`${owner} was refused by ${reply.holder}`);
  return reply;
}

describe('watch', () => {
  it('tells of a release in another process', async () => {
    const { a, b } = setup();
    const owner = newOwner();
    const { lastToken } = await granted(a, 'k', owner);
    let hints = 0;
    let heard = (): void => undefined;
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        heard = resolve;
      });
    const started = next();
    const watch = b.watch?.('k', () => {
      hints++;
      heard();
    });
    // The first hint comes when the watch is in place.
    await started;
    const changed = next();
    await release(a, 'k', owner, lastToken);
    await changed;
    watch?.close();
    const before = hints;
    await granted(a, 'k', newOwner());
    // A hint that should not come cannot be waited for; two turns of the event loop are enough for one that would.
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(hints).toBe(before);
  });

  it('is silent where nothing can be watched, and when it was closed before it began', async () => {
    const { a, b } = setup();
    await granted(a, 'k', newOwner());
    const fail = (): never => {
      throw new Error('a hint of nothing');
    };
    a.watch?.('missing', fail);
    a.watch?.('k', fail).close();
    b.watch?.('k', fail);
    await b.close();
    // As above: nothing tells that nothing happened.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await a.close();
  });
});

describe('a closed store', () => {
  it('does nothing more', async () => {
    const { a } = setup();
    await a.close();
    await expect(acquire(a, 'k', newOwner())).rejects.toMatchObject({ code: 'closed' });
    await expect(a.list({ limit: 1 })).rejects.toMatchObject({ code: 'closed' });
  });

  it('never had a line', async () => {
    const { a } = setup();
    expect(a.capabilities.line).toHaveProperty('no');
    expect(await a.leave({ key: 'k', owner: newOwner() })).toBe(false);
    await expect(a.subscribe('x', () => undefined)).rejects.toMatchObject({ code: 'unsupported' });
  });
});
