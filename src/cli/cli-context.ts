import type { Platform } from '../core/ports.ts';
import type { Messages } from './messages.ts';

/** Data goes to `print`, everything else to `say`. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly messages: Messages;
  readonly platform: Platform;
  /** Whether colours may be used on standard output. */
  readonly colour: boolean;
  /** One line of data, to standard output. */
  print(line: string): void;
  /** One line for people, to standard error. */
  say(line: string): void;
  /** How far long work has come, in place of what was said before; undefined ends it. Absent where nobody watches. */
  progress?(line: string | undefined): void;
}
