/** Every command with its options, examples and what it does. A command's code is loaded when it is called. */
import { Command, CommanderError, Option } from 'commander';
import { addAccessCommands } from './access-commands.ts';
import type { CliContext } from './cli-context.ts';
import { addClientOptions, addListOptions } from './client-options.ts';
import type { DoctorOptions } from './commands/doctor.ts';
import type { ExecOptions } from './commands/exec.ts';
import type { BreakLeaseOptions, ListLeasesOptions } from './commands/leases.ts';
import type { MigrateOptions } from './commands/migrate.ts';
import type { ServeOptions } from './commands/serve.ts';
import { exitCodes } from './exit-codes.ts';
import { addJobCommands, addJobOptions } from './job-commands.ts';
import { logLevels } from './log-level.ts';
import { addOperationCommands } from './operation-commands.ts';
import { addRolloutCommands } from './rollout-commands.ts';

/** Runs one command line; the exit code. Errors of a command come out as they are. */
export async function runProgram(argv: readonly string[], version: string, context: CliContext): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const finish: Finish = async (code) => {
    exitCode = await code;
  };
  const program = new Command('kannuki')
    .description('Leases with fencing numbers and job runs: what must happen once happens once.')
    .version(version, '-V, --version', 'print the version')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.say(text.trimEnd()),
      outputError: (text, write) => write(text.replace(/^error: /, 'kannuki: ')),
    })
    .addHelpText('after', overview);
  addExec(program, context, finish);
  addServe(program, context, finish);
  addJobCommands(program, context, finish);
  addLeases(program, context, finish);
  addRolloutCommands(program, context, finish);
  addAccessCommands(program, context, finish);
  addDoctor(program, context, finish);
  addMigrate(program, context, finish);
  addOperationCommands(program, context, finish, version);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version are no errors, though commander leaves by the same door.
    const asked = error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
    return asked ? exitCodes.ok : exitCodes.usage;
  }
  return exitCode;
}

type Finish = (code: Promise<number>) => Promise<void>;

function addExec(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('exec')
    .description('run a command while holding a lease; end it if the lease is lost')
    .argument('<command...>', 'the command and its arguments, after --')
    .requiredOption('--lock <name>', 'name of the lease')
    .option('--ttl <duration>', 'the lease ends this long after the last renewal', '30s')
    .option('--wait <duration>', 'wait this long for the lease', '0s')
    .option('--grace <duration>', 'between SIGTERM and SIGKILL (default: 5s, at most 15 % of --ttl)')
    .addOption(
      new Option('--shared', 'a shared lease: many at once, none beside an exclusive one').conflicts('permits'),
    )
    .option('--permits <n>', 'a counted lease: at most n at once')
    .addOption(storeOption())
    .addOption(dataOption())
    .addOption(verboseOption())
    .passThroughOptions()
    .addHelpText('after', execHelp)
    .action(async (command: string[], options: ExecOptions) => {
      const { exec } = await import('./commands/exec.ts');
      await finish(exec(context, command, options));
    });
}

function addServe(program: Command, context: CliContext, finish: Finish): void {
  const serve = program
    .command('serve')
    .description('serve leases and jobs over HTTP, with a database of its own unless DATABASE_URL is set');
  addJobOptions(serve)
    .option('--no-worker', 'take no runs in this process, and do not lead')
    .option('--port <port>', 'port to listen on; 0 takes a free one', '4010')
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--drain <duration>', 'on a stop: /readyz says no this long before the port closes', '0s')
    .addOption(dataOption())
    .addOption(new Option('--log-level <level>', 'logs on standard error').choices(logLevels).default('info'))
    .addOption(jsonOption())
    .addOption(verboseOption())
    .addHelpText('after', serveHelp)
    .action(async (options: ServeOptions) => {
      const { serve } = await import('./commands/serve.ts');
      await finish(serve(context, options));
    });
}

function addLeases(program: Command, context: CliContext, finish: Finish): void {
  const leases = program
    .command('leases')
    .description('who holds what; break a lease')
    .addHelpText('afterAll', leasesHelp);
  const directly = new Option(
    '--store <store>',
    'look into a store itself, as exec --store does (default: KANNUKI_STORE)',
  );
  const list = addClientOptions(
    leases.command('list', { isDefault: true }).description('list the leases that are held, by key'),
  )
    .option('--prefix <prefix>', 'only keys that begin with this')
    .addOption(directly);
  addListOptions(list, '100').action(async (options: ListLeasesOptions) => {
    const { listLeases } = await import('./commands/leases.ts');
    await finish(listLeases(context, options));
  });
  addClientOptions(leases.command('break').description('end a lease by your word; its holder is told why'))
    .argument('<key>', 'the lease to break')
    .requiredOption('--reason <text>', 'why; kept and told to the holder')
    .option('--by <name>', 'who (default: your user name)')
    .addOption(directly)
    .action(async (key: string, options: BreakLeaseOptions) => {
      const { breakLease } = await import('./commands/leases.ts');
      await finish(breakLease(context, key, options));
    });
}

function addDoctor(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('doctor')
    .description('look at everything kannuki depends on; exit 1 if something is wrong')
    .addOption(storeOption())
    .addOption(dataOption())
    .addOption(jsonOption())
    .addOption(verboseOption())
    .addHelpText('after', doctorHelp)
    .action(async (options: DoctorOptions) => {
      const { doctor } = await import('./commands/doctor.ts');
      await finish(doctor(context, options));
    });
}

function addMigrate(program: Command, context: CliContext, finish: Finish): void {
  program
    .command('migrate')
    .description("create or update the tables of a database (default: that of 'serve')")
    .addOption(new Option('--store <store>', 'a database: postgres://… (default: KANNUKI_STORE, DATABASE_URL, --data)'))
    .addOption(dataOption())
    .addOption(jsonOption())
    .addOption(verboseOption())
    .addHelpText('after', migrateHelp)
    .action(async (options: MigrateOptions) => {
      const { runMigrate } = await import('./commands/migrate.ts');
      await finish(runMigrate(context, options));
    });
}

function storeOption(): Option {
  return new Option(
    '--store <store>',
    'file:DIR, postgres://…, redis://…, firestore://PROJECT/COLLECTION, http://… or memory (default: KANNUKI_STORE, DATABASE_URL, file:.kannuki/leases)',
  );
}

function dataOption(): Option {
  return new Option('--data <dir>', "the folder of 'kannuki serve' (default: KANNUKI_DATA, .kannuki)");
}

function jsonOption(): Option {
  return new Option('--json', 'print JSON');
}

/** Read by main.ts, before anything can go wrong. */
function verboseOption(): Option {
  return new Option('--verbose', 'show the stack of an error');
}

const overview = `
Examples:
  $ kannuki exec --lock nightly-report -- ./report.sh
  $ kannuki serve
  $ kannuki leases
  $ kannuki jobs define report --daily 02:30 -- ./report.sh
  $ kannuki runs tail 42
  $ kannuki status
  $ kannuki demo

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 held, in use or refused, 5 store out of reach,
6 outcome unknown, 130 interrupted. 'exec' passes on the exit code of its command.`;

const execHelp = `
The command gets KANNUKI_TOKEN (the fencing number) and KANNUKI_LOCK in its environment.

Examples:
  $ kannuki exec --lock nightly-report -- ./report.sh
  $ kannuki exec --lock deploy --ttl 1m --wait 10m -- make deploy
  $ kannuki exec --lock render --permits 4 --wait 1h --store postgres://localhost/app -- ./render.sh

Exit codes: those of the command (128 + n after signal n), and
  75   the lease was not granted in time; the command was not started
  76   the lease was lost; the command was ended
  77   the store cannot be used; the command was not started
  126  the command cannot be started      127  there is no such command`;

const serveHelp = `
Without DATABASE_URL it keeps a PostgreSQL of its own in the data folder. A token for this machine is written to
DIR/cli-token; other machines need KANNUKI_API_TOKEN to be set, and so does listening on an address they can reach.

Examples:
  $ kannuki serve
  $ kannuki serve --port 8080 --data /var/lib/kannuki
  $ kannuki serve --config jobs.config.js --commands
  $ DATABASE_URL=postgres://app@db/app KANNUKI_API_TOKEN=… kannuki serve --host 0.0.0.0`;

const leasesHelp = `
They are those of the server. 'exec' without --store keeps its own in files: look there with --store.

Examples:
  $ kannuki leases
  $ kannuki leases --store file:.kannuki/leases
  $ kannuki leases list --prefix jobs/ --json
  $ kannuki leases break deploy --reason "build machine is gone"`;

const doctorHelp = `
Examples:
  $ kannuki doctor
  $ kannuki doctor --store postgres://app@db/app --json`;

const migrateHelp = `
Examples:
  $ kannuki migrate
  $ kannuki migrate --store postgres://owner@db/app`;
