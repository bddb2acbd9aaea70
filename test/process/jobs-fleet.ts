/** Processes that work and lead. One that ends without having been killed is a failure of the test. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileSource } from '../servers/compile-source.ts';

export interface JobsNode {
  readonly pid: number;
  readonly role: 'both' | 'leader' | 'worker';
  /** The next message of this kind. */
  next(kind: string): Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  /** Most that it ever had, in MB. */
  memory(): Promise<number>;
  kill(): Promise<void>;
  /** Closes and ends by itself. */
  end(): Promise<void>;
}

export interface JobsFleet extends AsyncDisposable {
  start(role: JobsNode['role'], options?: Readonly<Record<string, unknown>>): Promise<JobsNode>;
  /** Processes that ended although nobody ended them. */
  readonly deserters: readonly string[];
}

/** From today's source, in a folder of its own: a build at the same time does not change what the processes run. */
function writeScript(): { readonly script: string; remove(): void } {
  const source = compileSource();
  const text = readFileSync(fileURLToPath(new URL('jobs-node.mjs', import.meta.url)), 'utf8')
    .replace("'kannuki/jobs'", "'./dist/systems/jobs/index.js'")
    .replace("'kannuki/postgres'", "'./dist/stores/postgres/index.js'");
  return { script: source.writeProgram('jobs-node.mjs', text), remove: () => source.remove() };
}

export function createJobsFleet(url: string): JobsFleet {
  const { script, remove } = writeScript();
  const children = new Set<ChildProcess>();
  const deserters: string[] = [];
  return {
    deserters,
    async start(role, options = {}) {
      const child = fork(script, [JSON.stringify({ url, role, ...options })], {
        execArgv: [],
        stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      });
      children.add(child);
      let said = '';
      child.stderr?.on('data', (text) => {
        said += String(text);
      });
      let expected = false;
      const heard: { readonly kind: string; readonly value?: unknown }[] = [];
      const waiting: { readonly kind: string; readonly take: (value: unknown) => void }[] = [];
      child.on('message', (raw) => {
        const message = raw as { readonly kind: string; readonly value?: unknown };
        const at = waiting.findIndex(({ kind }) => kind === message.kind);
        if (at < 0) heard.push(message);
        else waiting.splice(at, 1)[0]?.take(message.value);
      });
      child.on('error', () => undefined);
      child.on('exit', (code, signal) => {
        children.delete(child);
        if (!expected) deserters.push(`${role} ${child.pid} ended (${signal ?? code}): ${said.slice(-2_000)}`);
      });
      const next = (kind: string): Promise<unknown> => {
        const at = heard.findIndex((message) => message.kind === kind);
        if (at >= 0) return Promise.resolve(heard.splice(at, 1)[0]?.value);
        return new Promise((take) => waiting.push({ kind, take }));
      };
      const early = once(child, 'exit').then(([code]) => {
        throw new Error(`A process ended before it was ready (${code}): ${said.slice(-2_000)}`);
      });
      await Promise.race([next('ready'), early]);
      early.catch(() => undefined);
      return {
        pid: child.pid ?? 0,
        role,
        next,
        signal: (name) => void child.kill(name),
        async memory() {
          child.send({ command: 'memory' });
          return (await next('memory')) as number;
        },
        async kill() {
          expected = true;
          await endChild(child);
        },
        async end() {
          expected = true;
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, 'exit');
          child.send({ command: 'end' });
          await ended;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...children].map(endChild));
      remove();
    },
  };
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
