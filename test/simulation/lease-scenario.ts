/**
 * One seeded history of the real keeper: several processes contend for a few keys over a bad network while processes
 * stop, crash and sleep, clocks jump, the server hangs or loses its newest grant, and an operator breaks leases.
 * Each holder reads a protected document (raising its fence), thinks, and writes it back.
 */
import { type LeaseRecord, type LeaseRules, leaseRules } from '../../src/core/lease.ts';
import type { LeaseStore } from '../../src/core/ports.ts';
import type { Lease } from '../../src/engine/lease.ts';
import { createLeases } from '../../src/engine/lease-keeper.ts';
import { memoryStore } from '../../src/stores/memory/memory-store.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { createLeaseInvariants, InvariantViolation, type LeaseInvariants } from './lease-invariants.ts';
import { callServer, calm, remoteStore, type SimulatedServer } from './simulated-network.ts';
import { createVirtualWorld, type SimulatedProcess, type VirtualWorld } from './virtual-world.ts';

/** What a planted bug replaces. */
export interface Plant {
  readonly rules?: Partial<LeaseRules>;
  /** The rules with a look at who sent the request being executed. */
  readonly rulesFor?: (server: SimulatedServer) => Partial<LeaseRules>;
  /** How a document's fence is checked. */
  readonly fence?: 'none' | 'on-write-only';
}

export interface ScenarioResult {
  readonly seed: number;
  readonly violation?: string;
  readonly counts: LeaseInvariants['counts'];
  readonly virtualMs: number;
}

const faultsEndMs = 6_000;
const patienceMs = 30_000;

export async function runLeaseScenario(seed: number, plant: Plant = {}): Promise<ScenarioResult> {
  const random = seededRandom(seed);
  const chance = (probability: number): boolean => random.fraction() < probability;
  const between = (low: number, high: number): number => Math.round(low + random.fraction() * (high - low));
  const world = createVirtualWorld(random);
  const machine = world.spawn('server');
  const server: SimulatedServer = { faults: calm, hangUntilMs: 0, caller: undefined };
  const loss: Loss = { crashedUs: undefined };
  const rules: LeaseRules = { ...leaseRules, ...plant.rules, ...plant.rulesFor?.(server) };
  const startMs = machine.clock.wallMs();
  const nowUs = (): number => Math.floor((startMs + world.nowMs()) * 1000);
  const invariants = createLeaseInvariants(nowUs);
  const store = invariants.watchStore(
    memoryStore({ clock: serverClock(machine), rules: lossyRules(rules, loss, invariants) }),
  );

  const keys = ['a', 'b'].slice(0, between(1, 2));
  const ttls = chance(0.5) ? [400] : [400, 1_000];
  const documents = new Map(keys.map((key) => [key, { version: 0, writes: 0 }]));
  const finished = new Set<SimulatedProcess>();
  let problem: unknown;
  const watch = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => {
      problem ??= error;
    });
  };

  async function work(process: SimulatedProcess, sections: number): Promise<void> {
    const leases = createLeases({
      store: remoteStore(world, server, process, store),
      ttlMs: 400,
      acceptMs: 300,
      pollMs: 100,
      platform: { clock: process.clock, random, processName: process.name, sha256: () => Promise.resolve('') },
      rules,
    });
    const section = async (): Promise<void> => {
      const key = keys[between(0, keys.length - 1)] ?? 'a';
      const ttlMs = ttls[between(0, ttls.length - 1)] ?? 400;
      const outcome = await leases
        .acquire(key, { ttlMs, ...(chance(0.2) && { waitMs: between(1, 300) }) })
        .catch(() => undefined);
      if (!outcome?.acquired) return;
      invariants.holds(outcome.lease);
      // A message that got lost must not keep the section open for ever.
      await Promise.race([useDocument(process, outcome.lease, key), pause(process, 1_500)]).catch(() => undefined);
      await outcome.lease.release();
    };
    const user = async (): Promise<void> => {
      for (let i = 0; i < sections; i++) {
        await pause(process, between(0, 60));
        await section();
      }
    };
    await Promise.all(Array.from({ length: between(1, 3) }, user));
  }

  /** Read (raising the fence), think, write: each a message of its own to the document's server. */
  async function useDocument(process: SimulatedProcess, lease: Lease, key: string): Promise<void> {
    const document = documents.get(key);
    if (!document) return;
    const base = await callServer(world, server, process, async () => {
      if (plant.fence === undefined && !(await store.claim({ resource: key, token: lease.token })).claimed)
        return undefined;
      if (plant.fence === undefined) invariants.accepted({ resource: key, kind: 'read', token: lease.token });
      return document.version;
    });
    if (base === undefined) return;
    await pause(process, chance(0.1) ? between(200, 900) : between(0, 15));
    if (!lease.isHeld()) return;
    await callServer(world, server, process, async () => {
      if (plant.fence !== 'none' && !(await store.claim({ resource: key, token: lease.token })).claimed) return;
      // The same write twice is one write: the network may double it.
      if (document.version !== base && document.writes === lease.token) return;
      const version = document.version + 1;
      invariants.accepted({ resource: key, kind: 'write', token: lease.token, base, version });
      document.version = version;
      document.writes = lease.token;
    });
  }

  const pause = (process: SimulatedProcess, ms: number): Promise<void> =>
    new Promise((resolve) => process.clock.after(ms, resolve));

  const processes = Array.from({ length: between(2, 4) }, (_, i) =>
    world.spawn(`p${i}`, { rate: 0.97 + random.fraction() * 0.06, wallOffsetMs: between(-3_600_000, 3_600_000) }),
  );
  for (const process of processes) {
    const sections = between(3, 8);
    world.after(between(0, 50), () => watch(work(process, sections).then(() => finished.add(process))), process);
  }
  injectFaults({ world, server, processes, store, invariants, keys, loss, nowUs, between, chance });

  const busy = (): boolean => processes.some((process) => process.isAlive() && !finished.has(process));
  let violation: string | undefined;
  try {
    await world.run({
      untilMs: faultsEndMs + patienceMs,
      done: () => problem !== undefined || invariants.violation() !== undefined || !busy(),
      observe: invariants.observe,
    });
    violation = invariants.violation();
    if (violation !== undefined) return result();
    if (problem !== undefined) violation = problem instanceof Error ? problem.message : String(problem);
    else if (busy()) violation = `stuck: somebody still waits ${patienceMs} ms after the last fault`;
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error;
    violation = error.message;
  }
  return result();

  function result(): ScenarioResult {
    return { seed, counts: invariants.counts, virtualMs: world.nowMs(), ...(violation !== undefined && { violation }) };
  }
}

function crashed(processes: readonly SimulatedProcess[]): number {
  return processes.filter((process) => !process.isAlive()).length;
}

function serverClock(machine: SimulatedProcess): { monotonicMs(): number; wallMs(): number } {
  return { monotonicMs: machine.clock.monotonicMs, wallMs: machine.clock.wallMs };
}

interface Loss {
  /** When the store crashed, by its clock; undefined: it did not, or the loss was had. */
  crashedUs: number | undefined;
}

/** A crash of the store brings back the record from before its newest grant, once. */
function lossyRules(rules: LeaseRules, loss: Loss, invariants: LeaseInvariants): LeaseRules {
  const previous = new WeakMap<LeaseRecord, { readonly record: LeaseRecord; readonly grantedUs: number }>();
  return {
    ...rules,
    decideAcquire(record, input, nowUs) {
      let current = record;
      const before = previous.get(record);
      if (before && loss.crashedUs !== undefined && before.grantedUs < loss.crashedUs) {
        loss.crashedUs = undefined;
        current = before.record;
        // The store hands its whole request on.
        invariants.recordLost((input as { key?: string }).key ?? '');
      }
      const decision = rules.decideAcquire(current, input, nowUs);
      if (decision.granted) previous.set(decision.record, { record: current, grantedUs: nowUs });
      return decision;
    },
  };
}

interface FaultParts {
  readonly world: VirtualWorld;
  readonly server: SimulatedServer;
  readonly processes: readonly SimulatedProcess[];
  readonly store: LeaseStore;
  readonly invariants: LeaseInvariants;
  readonly keys: readonly string[];
  readonly loss: Loss;
  readonly nowUs: () => number;
  readonly between: (low: number, high: number) => number;
  readonly chance: (probability: number) => boolean;
}

/** Which faults a history has is itself drawn: many small different worlds find more than one wild one. */
function injectFaults({ world, server, processes, store, keys, loss, nowUs, between, chance }: FaultParts): void {
  const some = (probability: number, value: number): number => (chance(probability) ? value : 0);
  server.faults = {
    lostRequest: some(0.3, 0.03),
    lostReply: some(0.4, 0.05),
    brokenConnection: some(0.3, 0.05),
    doubledRequest: some(0.4, 0.1),
    lostNotice: some(0.3, 0.2),
    doubledNotice: some(0.3, 0.3),
    delayMs: between(1, 20),
    slow: some(0.5, 0.1),
  };
  const withStops = chance(0.6);
  const withHangs = chance(0.3);
  // A wall clock set back *and* a sleep can deceive both clocks at once; then only the fence is left (documented).
  const clocks = chance(0.5) ? 'right' : chance(0.5) ? 'jumping' : 'sleeping';
  const withLoss = chance(0.25);
  const withBreaks = chance(0.2);
  const withCrashes = chance(0.4);
  for (let atMs = between(50, 200); atMs < faultsEndMs; atMs += between(50, 400)) {
    const process = processes[between(0, processes.length - 1)];
    const key = keys[between(0, keys.length - 1)] ?? 'a';
    world.after(atMs, () => {
      if (!process) return;
      if (withStops && chance(0.4)) process.stopFor(between(100, 1_600));
      if (withHangs && chance(0.15)) server.hangUntilMs = world.nowMs() + between(100, 1_500);
      if (clocks === 'jumping' && chance(0.3)) process.jumpWall(between(-2_000, 2_000));
      if (clocks === 'sleeping' && chance(0.2)) process.sleepMachine(between(100, 2_000));
      if (withLoss && chance(0.3)) {
        loss.crashedUs = nowUs();
        // A restart takes longer than a block of numbers is wide (64 µs).
        server.hangUntilMs = Math.max(server.hangUntilMs, world.nowMs() + between(1, 50));
      }
      if (withBreaks && chance(0.2))
        void store.breakLease({ key, reason: 'a test', by: 'operator', acceptMs: 300 }).catch(() => undefined);
      if (withCrashes && chance(0.05) && crashed(processes) < processes.length - 1) process.crash();
    });
  }
  world.after(faultsEndMs, () => {
    server.faults = calm;
    loss.crashedUs = undefined;
  });
}
