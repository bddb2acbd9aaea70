/**
 * A stopped server leaves commands hanging, and clients wait for ever. This gives every command an end. One timer looks
 * after all of them: a timer each would cost more than the rest of our work for a command.
 */
import { LeaseError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';

export interface CommandWatch {
  /** The answer, or `store-unavailable` after the time limit. The command itself may still be executed later. */
  wait<T>(answer: Promise<T>): Promise<T>;
}

interface Waiting {
  readonly sinceMs: number;
  readonly giveUp: () => void;
}

export function commandWatch(clock: Pick<Clock, 'after' | 'monotonicMs'>, timeoutMs: number): CommandWatch {
  const waiting = new Set<Waiting>();
  let armed = false;

  const look = (): void => {
    armed = false;
    const beforeMs = clock.monotonicMs() - timeoutMs;
    for (const command of waiting) {
      // They are in the order of sending.
      if (command.sinceMs > beforeMs) break;
      waiting.delete(command);
      command.giveUp();
    }
    if (waiting.size > 0) arm();
  };
  const arm = (): void => {
    if (armed) return;
    armed = true;
    clock.after(Math.min(1_000, timeoutMs / 4), look, { background: true });
  };

  return {
    wait(answer) {
      return new Promise((resolve, reject) => {
        const command: Waiting = {
          sinceMs: clock.monotonicMs(),
          giveUp: () =>
            reject(
              new LeaseError(
                `Redis did not answer within ${timeoutMs} ms; it is not known whether the command took effect.`,
                { code: 'store-unavailable', retryable: true },
              ),
            ),
        };
        waiting.add(command);
        arm();
        // The timer stays: the next command will most likely need it, and it does not keep the process alive.
        answer.then(
          (value) => {
            waiting.delete(command);
            resolve(value);
          },
          (error: unknown) => {
            waiting.delete(command);
            reject(error);
          },
        );
      });
    },
  };
}
