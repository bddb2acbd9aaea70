import type { Command } from 'commander';

/** What a shell needs to know of one command. */
export interface CommandTree {
  /** With those above it: `kannuki jobs define`. */
  readonly path: string;
  readonly words: readonly CompletionWord[];
}

export interface CompletionWord {
  readonly word: string;
  readonly about: string;
  /** False: an option. */
  readonly isCommand: boolean;
}

/** Every command that is shown in the help, the program itself first. */
export function listCommandTree(command: Command, above = ''): readonly CommandTree[] {
  const path = above === '' ? command.name() : `${above} ${command.name()}`;
  const shown = command.createHelp().visibleCommands(command);
  const commands = shown.map((one) => ({ word: one.name(), about: one.description(), isCommand: true }));
  const options = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ word: long, about: description, isCommand: false }] : []));
  const below = command.commands.filter((one) => shown.includes(one));
  return [{ path, words: [...commands, ...options] }, ...below.flatMap((one) => listCommandTree(one, path))];
}
