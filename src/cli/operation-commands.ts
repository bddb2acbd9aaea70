/** The commands of those who run Kannuki, with their options and examples. Their code is loaded when it is called. */
import { Argument, type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { addClientOptions } from './client-options.ts';
import type { BackupOptions } from './commands/backup.ts';
import type { DemoOptions } from './commands/demo.ts';
import type { DemoChaosOptions } from './commands/demo-chaos.ts';
import type { RestoreOptions } from './commands/restore.ts';

import type { StatusOptions } from './commands/status.ts';
import { type CompletionShell, completionShells, writeCompletion } from './completion/write-completion.ts';
import type { ChaosWorkerOptions } from './demo/run-chaos-worker.ts';

type Finish = (code: Promise<number>) => Promise<void>;

export function addOperationCommands(program: Command, context: CliContext, finish: Finish, version: string): void {
  addBackup(program, context, finish, version);
  addRestore(program, context, finish);
  addDemo(program, context, finish);
  addStatus(program, context, finish);
  addBench(program, context, finish);
  addCompletion(program, context);
}

function addBackup(program: Command, context: CliContext, finish: Finish, version: string): void {
  database(program.command('backup').description('write everything in the database to one file, while it is in use'))
    .argument('<file>', 'the file to write; it appears when it is complete')
    .option('--overwrite', 'take the place of a file of this name')
    .addHelpText('after', backupHelp)
    .action(async (file: string, options: BackupOptions) => {
      const { backup } = await import('./commands/backup.ts');
      await finish(backup(context, file, options, version));
    });
}

function addRestore(program: Command, context: CliContext, finish: Finish): void {
  database(program.command('restore').description('bring a backup into an empty database, of any kind and version'))
    .argument('<file>', 'what backup has written')
    .option('--replace', 'remove what the database holds')
    .option('--check', 'only look whether the file is complete')
    .addHelpText('after', restoreHelp)
    .action(async (file: string, options: RestoreOptions) => {
      const { restore } = await import('./commands/restore.ts');
      await finish(restore(context, file, options));
    });
}

function addDemo(program: Command, context: CliContext, finish: Finish): void {
  const demo = program.command('demo').description('living examples to look at').addHelpText('afterAll', demoHelp);
  demo
    .command('fill', { isDefault: true })
    .description('fill the database of serve with examples, and keep them alive')
    .option('--for <duration>', 'end after this long (default: when interrupted)')
    .option('--url <url>', 'where the server is, for the tour (default: KANNUKI_URL, http://127.0.0.1:4010)')
    .option('--data <dir>', "the folder of 'kannuki serve' (default: KANNUKI_DATA, .kannuki)")
    .option('--json', 'print JSON')
    .option('--verbose', 'show the stack of an error')
    .action(async (options: DemoOptions) => {
      const { demo: fill } = await import('./commands/demo.ts');
      await finish(fill(context, options));
    });
  demo
    .command('chaos')
    .description('stop a worker, let another take over, and see the late write refused')
    .option('--ttl <duration>', 'of the lease', '2s')
    .option('--no-fence', 'without a fence: see the write go through, and exit with 1')
    .option('--json', 'print JSON')
    .option('--verbose', 'show the stack of an error')
    .action(async (options: DemoChaosOptions) => {
      const { demoChaos } = await import('./commands/demo-chaos.ts');
      await finish(demoChaos(context, options));
    });
  demo
    .command('chaos-worker', { hidden: true })
    .requiredOption('--dir <dir>')
    .requiredOption('--name <name>')
    .requiredOption('--ttl-ms <ms>')
    .option('--no-fence')
    .action(async (options: ChaosWorkerOptions) => {
      const { runChaosWorker } = await import('./demo/run-chaos-worker.ts');
      await finish(runChaosWorker(context, options));
    });
}

function addStatus(program: Command, context: CliContext, finish: Finish): void {
  addClientOptions(
    program
      .command('status')
      .description('leader, workers, queue, what fails now, leases; exit 1 if the server is not ready'),
  )
    .addHelpText('after', statusHelp)
    .action(async (options: StatusOptions) => {
      const { status } = await import('./commands/status.ts');
      await finish(status(context, options));
    });
}

function addBench(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('bench')
    .description('the benchmarks of the repository')
    .argument('[args...]', 'name of a benchmark and its options')
    .passThroughOptions()
    .allowUnknownOption()
    .addHelpText('after', benchHelp)
    .action(async (args: string[]) => {
      const { bench } = await import('./commands/bench.ts');
      await finish(bench(context, args));
    });
}

function addCompletion(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('completion of commands and options for your shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(completionShells))
    .addHelpText('after', completionHelp)
    .action(async (shell: CompletionShell) => {
      const { listCommandTree } = await import('./completion/list-command-tree.ts');
      context.print(writeCompletion(shell, listCommandTree(program)));
    });
}

function database(command: Command): Command {
  return command
    .addOption(new Option('--store <url>', 'a database: postgres://… (default: --data, DATABASE_URL, .kannuki)'))
    .addOption(new Option('--data <dir>', "the folder of 'kannuki serve' (default: KANNUKI_DATA, .kannuki)"))
    .option('--json', 'print JSON')
    .option('--verbose', 'show the stack of an error');
}

const backupHelp = `
The database may be in use; the file holds one moment of it. A folder with PGlite has one user: stop that one first.
To move without losing what happens meanwhile, stop every kannuki first.

Examples:
  $ kannuki backup kannuki.backup
  $ kannuki backup /var/backups/kannuki.backup --overwrite --data /var/lib/kannuki
  $ kannuki backup kannuki.backup --store postgres://app@db/app`;

const demoHelp = `
'chaos' needs no server. It ends with 0 only if the late write was refused.

Examples:
  $ kannuki demo
  $ kannuki demo --for 1m
  $ kannuki demo chaos
  $ kannuki demo chaos --no-fence`;

const statusHelp = `
Examples:
  $ kannuki status
  $ kannuki status --url https://kannuki.example.com --json
  $ until kannuki status >/dev/null 2>&1; do sleep 1; done`;

const benchHelp = `
Examples:
  $ kannuki bench
  $ kannuki bench leases --quick`;

const completionHelp = `
Examples:
  $ source <(kannuki completion bash)
  $ kannuki completion zsh > ~/.zfunc/_kannuki
  $ kannuki completion fish | source`;

const restoreHelp = `
Stop the old store first. Every token and epoch is then above those it gave out, also after the backup was taken:
who still holds something of the old store is refused.

Examples:
  $ kannuki restore kannuki.backup --store postgres://owner@db/app
  $ kannuki restore kannuki.backup --data /var/lib/kannuki-18
  $ kannuki restore kannuki.backup --check`;
