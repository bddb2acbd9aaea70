/** Options that commands have in common. */
import { type Command, Option } from 'commander';

/** Of a command that asks the server. */
export function addClientOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'the server (default: KANNUKI_URL, http://127.0.0.1:4010)'))
    .addOption(
      new Option('--data <dir>', "the folder of 'kannuki serve', for its token (default: KANNUKI_DATA, .kannuki)"),
    )
    .option('--json', 'print JSON')
    .option('--verbose', 'show the stack of an error');
}

/** Of a command that lists. */
export function addListOptions(command: Command, limit: string): Command {
  return command
    .option('--limit <n>', 'how many at most, or "all"', limit)
    .option('--after <cursor>', 'go on where an earlier list was cut; it said with what');
}
