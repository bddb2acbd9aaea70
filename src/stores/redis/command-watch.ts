/**
 * A stopped server leaves commands hanging, and clients wait for ever. This gives every command an end. One timer looks
 * after all of them: a timer each would cost more than the rest of our work for a command. For the same reason there is
 * one promise between the client's and the caller's.
 */
import { type Bagged, createBag, nowhere } from '../../core/bag.ts';
import { LeaseError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';

export interface CommandWatch {
  /**
   * What `read` makes of the answer, or `recover` of the client's error; `store-unavailable` after the time limit. The
   * command itself may still be executed later.
   */
  wait<A, T>(
    answer: Promise<A>,
    read: (answer: A) => T | Promise<T>,
    recover: (error: unknown) => Promise<T>,
  ): Promise<T>;
}

interface Waiting extends Bagged {
  readonly sinceMs: number;
  readonly reject: (error: LeaseError) => void;
}

export function commandWatch(clock: Pick<Clock, 'after' | 'monotonicMs'>, timeoutMs: number): CommandWatch {
  const waiting = createBag<Waiting>();
  let armed = false;

  const look = (): void => {
    armed = false;
    const beforeMs = clock.monotonicMs() - timeoutMs;
    for (const command of waiting.items()) {
      if (command.sinceMs > beforeMs) continue;
      waiting.remove(command);
      command.reject(
        new LeaseError(
          `Redis did not answer within ${timeoutMs} ms; it is not known whether the command took effect.`,
          { code: 'store-unavailable', retryable: true },
        ),
      );
    }
    if (waiting.size() > 0) arm();
  };
  const arm = (): void => {
    armed = true;
    clock.after(Math.min(1_000, timeoutMs / 4), look, { background: true });
  };

  return {
    wait(answer, read, recover) {
      return new Promise((resolve, reject) => {
        const command: Waiting = { sinceMs: clock.monotonicMs(), reject, place: nowhere };
        waiting.add(command);
        // The timer stays: the next command will most likely need it, and it does not keep the process alive.
        if (!armed) arm();
        answer.then(
          (value) => {
            waiting.remove(command);
            try {
              resolve(read(value));
            } catch (error) {
              reject(error);
            }
          },
          (error: unknown) => {
            // Given up already: nobody would hear of the recovery, nor of its failure.
            if (waiting.remove(command)) resolve(recover(error));
          },
        );
      });
    },
  };
}
