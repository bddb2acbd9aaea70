/** Several callers with one key: retries, lost replies, deaths and stops; one effect and one answer must come of it. */
import { createRunOnce } from '../../src/engine/run-once/create-run-once.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { createRunOnceServer, type RunOnceRules, runOnceRules } from './run-once-database.ts';
import { callServer, calm, type SimulatedServer } from './simulated-network.ts';
import { createVirtualWorld, type SimulatedProcess } from './virtual-world.ts';

export interface RunOncePlant {
  readonly rules?: Partial<RunOnceRules>;
  /** Where the effect happens. `keyed`: outside, deduplicated by the key. @default 'transaction' or 'keyed', drawn */
  readonly effect?: 'transaction' | 'keyed' | 'outside';
  /** Handlers throw after their effect. @default drawn */
  readonly throws?: boolean;
}

export interface RunOnceResult {
  readonly seed: number;
  readonly violation?: string;
  readonly counts: {
    readonly runs: number;
    readonly effects: number;
    readonly answers: number;
    readonly takeOvers: number;
  };
}

const faultsEndMs = 8_000;
const untilMs = 90_000;

export async function runRunOnceScenario(seed: number, plant: RunOncePlant = {}): Promise<RunOnceResult> {
  const random = seededRandom(`run-once ${seed}`);
  const world = createVirtualWorld(random);
  const machine = world.spawn('server');
  const startMs = machine.clock.wallMs();
  const server: SimulatedServer = { faults: calm, hangUntilMs: 0, caller: undefined };
  const nowUs = (): number => Math.floor((startMs + world.nowMs()) * 1000);
  const database = createRunOnceServer(world, server, nowUs, { ...runOnceRules, ...plant.rules });
  const effect = plant.effect ?? (random.chance(0.5) ? 'transaction' : 'keyed');
  const throws = effect !== 'transaction' && (plant.throws ?? random.chance(0.3));
  const keyed = new Set<string>();
  const counts = { runs: 0, effects: 0, answers: 0, takeOvers: 0 };
  let violation: string | undefined;
  const ranFor = new Set<string>();
  const finished = new Set<SimulatedProcess>();

  server.faults = {
    ...calm,
    brokenConnection: random.chance(0.6) ? 0.08 : 0,
    delayMs: random.integer(1, 20),
    slow: random.chance(0.5) ? 0.1 : 0,
  };

  /** The client behind a process asks until it has an answer. Each run would answer something else. */
  async function call(process: SimulatedProcess, input: string): Promise<void> {
    const runOnce = createRunOnce({
      database: database.connect(process),
      ttlMs: 600,
      platform: { clock: process.clock, random, processName: process.name, sha256: (text) => Promise.resolve(text) },
    });
    for (;;) {
      const outcome = await runOnce<string>({ key: 'order-7', input }, async (run) => {
        counts.runs += 1;
        if (run.attempt > 1) counts.takeOvers += 1;
        ranFor.add(input);
        const answer = `${process.name} ${run.token}`;
        await pause(process, random.chance(0.2) ? random.integer(300, 1_500) : random.integer(0, 40));
        if (effect === 'transaction') {
          return run.transaction(async (tx) => {
            await tx.query({ text: 'effect' });
            return answer;
          });
        }
        await callServer(world, server, process, async () => {
          if (effect === 'keyed' && keyed.has(run.key)) return;
          keyed.add(run.key);
          database.effects += 1;
        });
        if (throws) throw new Error(answer);
        return answer;
      }).catch(
        (error: unknown) => error as Error & { readonly code?: string; readonly stored?: { readonly message: string } },
      );
      if (outcome instanceof Error) {
        // A stored failure is an answer; everything else says "ask again".
        if (outcome.code === 'failed') return answered(outcome.message);
        if (outcome.message.startsWith('p') && throws) return answered(outcome.message);
      } else if (outcome.outcome === 'reused') return;
      else if (outcome.outcome !== 'in-flight') return answered(outcome.result);
      await pause(process, random.integer(20, 200));
    }
  }

  function answered(answer: string): void {
    const said = /p\d \d+/.exec(answer)?.[0] ?? answer;
    database.answers.add(said);
    counts.answers = database.answers.size;
  }

  const pause = (process: SimulatedProcess, ms: number): Promise<void> =>
    new Promise((resolve) => process.clock.after(ms, resolve));

  const processes = [0, 1, 2].map((i) => world.spawn(`p${i}`, { rate: 0.98 + random.fraction() * 0.04 }));
  const stranger = random.chance(0.5) ? processes[2] : undefined;
  for (const process of processes) {
    world.after(
      random.integer(0, 400),
      () => {
        call(process, process === stranger ? 'other' : 'same').then(
          () => finished.add(process),
          (error: unknown) => {
            violation ??= `a call ended with ${String(error)}`;
          },
        );
      },
      process,
    );
  }
  for (let atMs = 50; atMs < faultsEndMs; atMs += random.integer(30, 300)) {
    const process = random.pick(processes);
    world.after(atMs, () => {
      if (random.chance(0.5)) process.stopFor(random.integer(100, 2_500));
      if (random.chance(0.05) && processes.filter((one) => one.isAlive()).length > 1) process.crash();
    });
  }
  world.after(faultsEndMs, () => {
    server.faults = calm;
  });

  const busy = (): boolean => processes.some((process) => process.isAlive() && !finished.has(process));
  await world.run({
    untilMs,
    done: () => violation !== undefined || !busy(),
    observe() {
      if (database.effects > 1) violation ??= `I6: ${database.effects} effects for one key`;
      if (database.answers.size > 1)
        violation ??= `I6: two answers for one key and input: ${[...database.answers].join(', ')}`;
      if (ranFor.size > 1) violation ??= 'I6: the key ran for two inputs';
    },
  });
  if (violation === undefined && busy()) violation = `stuck: a caller has no answer ${untilMs} ms later`;
  counts.effects = database.effects;
  return { seed, counts, ...(violation !== undefined && { violation }) };
}
