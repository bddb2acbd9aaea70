/** Child processes that hold real leases, told what to do over a pipe. Killed by pid; none outlives its test. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type StoreSpec =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'file'; readonly dir: string; readonly documents: string }
  | { readonly kind: 'firestore'; readonly host: string; readonly projectId: string }
  | {
      readonly kind: 'redis';
      readonly port: number;
      readonly library: 'ioredis' | 'redis';
      /** Where the fence is compared: in the server, as shipped, or before the write, as a planted mistake. */
      readonly fence?: 'server' | 'client';
    };

export interface Worker {
  readonly pid: number;
  /** Sends a command and waits for its answer. */
  ask<T>(command: Readonly<Record<string, unknown>>): Promise<T>;
  /** Sends a command; what it answers comes through `next`. */
  tell(command: Readonly<Record<string, unknown>>): void;
  /** The next message of this kind. */
  next<T>(kind: string): Promise<T>;
  signal(name: NodeJS.Signals): void;
  /** SIGKILL, and its end awaited. */
  kill(): Promise<void>;
}

export interface Fleet extends AsyncDisposable {
  start(options: {
    readonly store: StoreSpec;
    readonly ttlMs: number;
    readonly env?: NodeJS.ProcessEnv;
    /** What it runs. @default lease-worker.mjs */
    readonly script?: URL;
  }): Promise<Worker>;
}

const leaseWorker = new URL('lease-worker.mjs', import.meta.url);

export function createFleet(): Fleet {
  const children = new Set<ChildProcess>();
  return {
    async start({ store, ttlMs, env = {}, script = leaseWorker }) {
      const child = fork(fileURLToPath(script), [JSON.stringify({ store, ttlMs })], {
        env: { ...process.env, ...env },
        execArgv: [],
      });
      children.add(child);
      const worker = workerOf(child);
      await worker.next('ready');
      return worker;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...children].map(end));
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

interface Message {
  readonly kind: string;
  readonly id?: number;
  readonly value?: unknown;
  readonly error?: string;
}

function workerOf(child: ChildProcess): Worker {
  const heard: Message[] = [];
  const waiting: {
    wants: (message: Message) => boolean;
    take: (message: Message) => void;
    fail: (error: Error) => void;
  }[] = [];
  let ids = 0;
  child.on('message', (raw) => {
    const message = raw as Message;
    const at = waiting.findIndex(({ wants }) => wants(message));
    if (at < 0) heard.push(message);
    else waiting.splice(at, 1)[0]?.take(message);
  });
  child.on('exit', (code, signal) => {
    for (const { fail } of waiting.splice(0)) fail(new Error(`The worker ended (${signal ?? code}).`));
  });
  child.on('error', () => undefined);
  const hear = (wants: (message: Message) => boolean): Promise<Message> => {
    const at = heard.findIndex(wants);
    const [message] = at < 0 ? [] : heard.splice(at, 1);
    if (message) return Promise.resolve(message);
    return new Promise((take, fail) => waiting.push({ wants, take, fail }));
  };
  const send = (command: object): void => {
    if (child.connected) child.send(command, () => undefined);
  };
  return {
    pid: child.pid ?? 0,
    async ask<T>(command: Readonly<Record<string, unknown>>): Promise<T> {
      const id = ++ids;
      const answer = hear((message) => message.kind === 'answer' && message.id === id);
      send({ ...command, id });
      const { value, error } = await answer;
      if (error !== undefined) throw new Error(error);
      return value as T;
    },
    tell: send,
    async next<T>(kind: string): Promise<T> {
      return (await hear((message) => message.kind === kind)).value as T;
    },
    signal(name) {
      child.kill(name);
    },
    kill: () => end(child),
  };
}
