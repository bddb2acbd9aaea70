/** Runs in a tab: how each package acquires, and how long that takes. */

import { createLeaderElection, BroadcastChannel as PeerChannel } from 'broadcast-channel';
import TabsLock from 'browser-tabs-lock';
import { Tab } from 'tab-election';
import { createProjectLock, openProjectLockSession } from '/dist/browser/project-lock/index.js';

/** Resolves with what gives it back. Peers keep their objects, as an application would. */
const ways = {
  'navigator.locks': () => ({
    acquire: () =>
      new Promise((granted, refused) => {
        navigator.locks.request('bench', () => new Promise((done) => granted(done))).catch(refused);
      }),
  }),
  kannuki: () => lockWay(createProjectLock()),
  'kannuki, no Web Locks': () => lockWay(createProjectLock({ locks: null })),
  'kannuki, no worker': () => lockWay(createProjectLock({ workerUrl: null })),
  'kannuki, session': () => {
    const session = openProjectLockSession({ block: 5000 }, createProjectLock());
    return { cycle: () => session.run(() => undefined), end: () => session.end() };
  },
  'browser-tabs-lock 1.3.0': () => {
    // A CommonJS module: what it calls default may be one level down.
    const lock = new (TabsLock.default ?? TabsLock)();
    return {
      async acquire() {
        while (!(await lock.acquireLock('bench', 5000)));
        return () => lock.releaseLock('bench');
      },
    };
  },
  'tab-election 4.2.8': () => ({
    acquire: () =>
      new Promise((granted) => {
        const tab = new Tab('bench');
        void tab.waitForLeadership(() => {
          granted(() => tab.close());
          return {};
        });
      }),
  }),
  'broadcast-channel 7.4.0': () => ({
    async acquire() {
      const channel = new PeerChannel('bench');
      const elector = createLeaderElection(channel);
      await elector.awaitLeadership();
      return async () => {
        await elector.die();
        await channel.close();
      };
    },
  }),
};

function lockWay(lock) {
  return {
    async acquire() {
      const { lease } = await lock.acquireProjectLock({ maxWaitMs: 60_000 });
      return () => lock.releaseProjectLock({ lease });
    },
    end: () => lock.close(),
  };
}

export const names = () => Object.keys(ways);

/** Milliseconds of single cycles, sorted. */
export async function cycles(name, n, warmUp) {
  const way = ways[name]();
  const cycle = way.cycle ?? (async () => (await way.acquire())());
  for (let i = 0; i < warmUp; i++) await cycle();
  if (way.cycle) {
    // Too short to be timed one by one.
    const startMs = performance.now();
    for (let i = 0; i < n; i++) await cycle();
    const eachMs = (performance.now() - startMs) / n;
    await way.end();
    return [eachMs];
  }
  const times = [];
  for (let i = 0; i < n; i++) {
    const startMs = performance.now();
    await cycle();
    times.push(performance.now() - startMs);
  }
  await way.end?.();
  return times.sort((a, b) => a - b);
}

/** Takes it and keeps it. */
export async function hold(name) {
  window.kept = await ways[name]().acquire();
}

/** Sections told to the server, for the count of double holders. */
export async function sections(name, n, run) {
  const way = ways[name]();
  for (let i = 0; i < n; i++) {
    const release = await way.acquire();
    await window.tell({ run, kind: 'enter' });
    await window.tell({ run, kind: 'exit' });
    await release();
  }
}
