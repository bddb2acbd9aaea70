/**
 * A command in a process group of its own, so that it can be ended with everything it started. Its standard streams
 * are ours. Signals reach it through us only: it has no controlling terminal.
 */
import { spawn } from 'node:child_process';
import type { Clock } from '../core/ports.ts';

export type CommandEnd = { readonly code: number } | { readonly signal: NodeJS.Signals };

export interface RunningCommand {
  /** Resolves when the command itself has ended; what it started may go on. */
  readonly ended: Promise<CommandEnd>;
  /** Sends a signal to the whole group. */
  send(signal: NodeJS.Signals): void;
  /** Ends the whole group: SIGTERM, and SIGKILL for what is left after `graceMs`. */
  end(graceMs: number): Promise<void>;
}

export interface StartCommandOptions {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Called in the turn in which the process begins to exist. */
  readonly onStart: (pid: number) => void;
}

/** How often a group that was told to end is looked at. */
const lookMs = 20;

export async function startCommand({ command, env, clock, onStart }: StartCommandOptions): Promise<RunningCommand> {
  const [file = '', ...args] = command;
  const grouped = process.platform !== 'win32';
  const child = spawn(file, args, { stdio: 'inherit', env, detached: grouped });
  if (child.pid !== undefined) onStart(child.pid);
  const ended = new Promise<CommandEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? { code: code ?? 1 } : { signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // From here on an error only says that a signal could not be sent.
  child.on('error', () => {});
  const { pid } = child;
  // Never 0: that would be our own group.
  if (pid === undefined) throw new Error('The command has started without a process id.');
  const target = grouped ? -pid : pid;

  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(target, signal);
    } catch {
      return false; // Nobody is left.
    }
  };
  const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));

  return {
    ended,
    send: (signal) => void send(signal),
    async end(graceMs) {
      const untilMs = clock.monotonicMs() + graceMs;
      send('SIGTERM');
      // A stopped process would not hear it.
      send('SIGCONT');
      while (send(0) && clock.monotonicMs() < untilMs) {
        await pause(Math.max(1, Math.min(lookMs, untilMs - clock.monotonicMs())));
      }
      send('SIGKILL');
      await ended;
    },
  };
}
