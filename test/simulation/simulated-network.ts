/**
 * A store on a server behind a bad network: requests and replies are delayed, lost or doubled, connections break,
 * the server hangs, notices come late, twice or never. What is executed is the real memory store.
 */
import { LeaseError } from '../../src/core/errors.ts';
import type { LeaseStore, Notice } from '../../src/core/ports.ts';
import type { SimulatedProcess, VirtualWorld } from './virtual-world.ts';

export interface NetworkFaults {
  /** Chances per message, 0 to 1. */
  readonly lostRequest: number;
  readonly lostReply: number;
  readonly brokenConnection: number;
  readonly doubledRequest: number;
  readonly lostNotice: number;
  readonly doubledNotice: number;
  /** Longest ordinary delay. */
  readonly delayMs: number;
  /** Chance of a delay ten times as long. */
  readonly slow: number;
}

export const calm: NetworkFaults = {
  lostRequest: 0,
  lostReply: 0,
  brokenConnection: 0,
  doubledRequest: 0,
  lostNotice: 0,
  doubledNotice: 0,
  delayMs: 2,
  slow: 0,
};

export interface SimulatedServer {
  faults: NetworkFaults;
  /** Executes nothing until then. */
  hangUntilMs: number;
  /** Who sent the request being executed. */
  caller: SimulatedProcess | undefined;
}

/** Runs `execute` on the server and brings its result back, or not. */
export function callServer<T>(
  world: VirtualWorld,
  server: SimulatedServer,
  from: SimulatedProcess,
  execute: () => Promise<T>,
): Promise<T> {
  const { random } = world;
  const chance = (probability: number): boolean => random.fraction() < probability;
  const delay = (): number => random.fraction() * server.faults.delayMs * (chance(server.faults.slow) ? 10 : 1);
  return new Promise((resolve, reject) => {
    const { faults } = server;
    if (chance(faults.brokenConnection)) {
      const executed = chance(0.5);
      if (executed) onServer(world, server, from, delay(), execute).catch(() => undefined);
      const error = new LeaseError('The connection broke.', { code: 'store-unavailable', retryable: true });
      world.after(delay(), () => reject(error), from);
      return;
    }
    if (chance(faults.lostRequest)) return;
    if (chance(faults.doubledRequest)) {
      onServer(world, server, from, delay() + delay(), execute).catch(() => undefined);
    }
    const losesReply = chance(faults.lostReply);
    onServer(world, server, from, delay(), execute).then(
      (value) => losesReply || world.after(delay(), () => resolve(value), from),
      (error: unknown) => losesReply || world.after(delay(), () => reject(error), from),
    );
  });
}

function onServer<T>(
  world: VirtualWorld,
  server: SimulatedServer,
  from: SimulatedProcess,
  delayMs: number,
  execute: () => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const attempt = (): void => {
      if (world.nowMs() < server.hangUntilMs) {
        world.after(server.hangUntilMs - world.nowMs(), attempt);
        return;
      }
      server.caller = from;
      execute().then(resolve, reject);
      server.caller = undefined;
    };
    world.after(delayMs, attempt);
  });
}

/** The store as one process sees it. */
export function remoteStore(
  world: VirtualWorld,
  server: SimulatedServer,
  process: SimulatedProcess,
  store: LeaseStore,
): LeaseStore {
  const call = <T>(execute: () => Promise<T>): Promise<T> => callServer(world, server, process, execute);
  const { random } = world;
  return {
    name: 'simulated',
    capabilities: store.capabilities,
    acquire: (request) => call(() => store.acquire(request)),
    acquireAll: (request) => call(() => store.acquireAll(request)),
    renew: (requests) => call(() => store.renew(requests)),
    release: (request) => call(() => store.release(request)),
    leave: (request) => call(() => store.leave(request)),
    breakLease: (request) => call(() => store.breakLease(request)),
    explainLoss: (request) => call(() => store.explainLoss(request)),
    list: (request) => call(() => store.list(request)),
    claim: (request) => call(() => store.claim(request)),
    subscribe(id, onNotice) {
      const deliver = (notice: Notice): void => {
        const { faults } = server;
        const delayMs = random.fraction() * faults.delayMs * (random.fraction() < faults.slow ? 300 : 1);
        if (random.fraction() >= faults.lostNotice) world.after(delayMs, () => onNotice(notice), process);
        if (random.fraction() < faults.doubledNotice) world.after(delayMs * 3, () => onNotice(notice), process);
      };
      return call(() => store.subscribe(id, deliver));
    },
    close: () => Promise.resolve(),
  };
}
