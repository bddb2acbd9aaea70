/**
 * `kannuki demo chaos`: two real processes, one document. The first is stopped while it holds the lease, the second
 * takes over, the first wakes up and writes. Ends with 0 only if that write was refused and the document is untouched.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type ChaosWord, readChaosDocument } from '../demo/run-chaos-worker.ts';
import { formatDuration } from '../durations.ts';
import { exitCodes } from '../exit-codes.ts';
import { readDuration } from '../options.ts';

export interface DemoChaosOptions {
  readonly ttl: string;
  /** False: `--no-fence`. */
  readonly fence: boolean;
  readonly json?: boolean;
}

const ttlBounds = { minMs: 500, maxMs: 60_000 };

export async function demoChaos(context: CliContext, options: DemoChaosOptions): Promise<number> {
  const { messages, print } = context;
  const { fence, json } = options;
  const ttlMs = readDuration('--ttl', options.ttl, ttlBounds, messages);
  if (process.platform === 'win32') throw new CliError(messages.chaosNeedsSignals, exitCodes.usage);
  const tell = (line: string): void => {
    if (!json) print(line);
  };
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-chaos-'));
  const workers: ChaosWorker[] = [];
  const start = (name: string): ChaosWorker => {
    const worker = startWorker({ dir, name, ttlMs, fence });
    workers.push(worker);
    return worker;
  };
  try {
    const a = start('A');
    const first = await a.hear('holding');
    tell(messages.chaosHolds(a.pid, first.token));
    const b = start('B');
    tell(messages.chaosStops(formatDuration(ttlMs)));
    a.signal('SIGSTOP');
    const second = await b.hear('holding');
    b.tell('write');
    const written = await b.hear('wrote');
    tell(messages.chaosTakesOver(b.pid, second.token));
    tell(messages.chaosWakes);
    a.tell('write');
    a.signal('SIGCONT');
    const late = await a.hear('wrote');
    const content = await readChaosDocument(dir, fence);
    const refused = written.accepted && second.token > first.token && !late.accepted && content === 'written by B';
    if (json) print(JSON.stringify({ refused, tokens: [first.token, second.token], fence: late.fence, content }));
    else if (refused) {
      print(messages.chaosRefused(first.token, late.fence, content));
      print(messages.chaosMeaning);
    } else print(messages.chaosAccepted(content));
    return refused ? exitCodes.ok : exitCodes.failed;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(messages.chaosFailed(why), exitCodes.failed, { cause });
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    rmSync(dir, { recursive: true, force: true });
  }
}

interface ChaosWorker {
  readonly pid: number;
  hear<Says extends ChaosWord['says']>(says: Says): Promise<Extract<ChaosWord, { readonly says: Says }>>;
  tell(word: string): void;
  signal(name: NodeJS.Signals): void;
  end(): Promise<void>;
}

interface StartOptions {
  readonly dir: string;
  readonly name: string;
  readonly ttlMs: number;
  readonly fence: boolean;
}

function startWorker({ dir, name, ttlMs, fence }: StartOptions): ChaosWorker {
  const program = fileURLToPath(new URL('../main.js', import.meta.url));
  const args = ['demo', 'chaos-worker', '--dir', dir, '--name', name, '--ttl-ms', String(ttlMs)];
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [program, ...args, ...(fence ? [] : ['--no-fence'])],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const words = createInterface(child.stdout)[Symbol.asyncIterator]();
  // A worker that is gone is told by what it no longer says.
  child.stdin.on('error', () => {});
  return {
    pid: child.pid ?? 0,
    async hear(says) {
      const { value, done } = await words.next();
      if (done) throw new Error(`worker ${name} ended before it was "${says}".`);
      return JSON.parse(value) as never;
    },
    tell: (word) => void child.stdin.write(`${word}\n`),
    signal: (signal) => void child.kill(signal),
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
