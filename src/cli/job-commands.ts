/** The commands about jobs with their options and examples. Their code is loaded when it is called. */
import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { addClientOptions, addListOptions } from './client-options.ts';
import type { DefineJobOptions, EnqueueJobOptions, JobsOptions, ListJobsOptions } from './commands/jobs.ts';
import type { ListRunsCommandOptions, RunActOptions, RunsOptions } from './commands/runs.ts';
import type { WorkerCommandOptions } from './commands/worker.ts';
import type { ListWorkersCommandOptions } from './commands/workers.ts';
import { logLevels } from './log-level.ts';

type Finish = (code: Promise<number>) => Promise<void>;

export function addJobCommands(program: Command, context: CliContext, finish: Finish): void {
  addWorker(program, context, finish);
  addJobs(program, context, finish);
  addRuns(program, context, finish);
  addWorkers(program, context, finish);
}

/** What `serve` and `worker` have in common. */
export function addJobOptions(command: Command): Command {
  return command
    .option('--config <file>', 'handlers and definitions (default: kannuki.config.js, if there is one)')
    .option('--queues <names>', 'queues to serve, with commas between (default: those of the jobs it can run)')
    .option('--concurrency <n>', 'runs at the same time (default: 10)')
    .option('--commands', 'run commands that are defined over the network (default: KANNUKI_ALLOW_COMMANDS=1)')
    .option('--targets <hosts>', 'http targets that may be called: hosts, *.domain, nets, localhost, public');
}

function addWorker(program: Command, context: CliContext, finish: Finish): void {
  const worker = program
    .command('worker')
    .description('take runs from the database; any number of workers share the work');
  addJobOptions(worker)
    .addOption(new Option('--data <dir>', "the folder of 'kannuki serve' (default: KANNUKI_DATA, .kannuki)"))
    .addOption(new Option('--log-level <level>', 'logs on standard error').choices(logLevels).default('info'))
    .option('--json', 'print JSON')
    .option('--verbose', 'show the stack of an error')
    .addHelpText('after', workerHelp)
    .action(async (options: WorkerCommandOptions) => {
      const { runWorker } = await import('./commands/worker.ts');
      await finish(runWorker(context, options));
    });
}

function addJobs(program: Command, context: CliContext, finish: Finish): void {
  const jobs = program
    .command('jobs')
    .description('what is defined and when it is due; make a run')
    .addHelpText('afterAll', jobsHelp);
  const list = addClientOptions(jobs.command('list', { isDefault: true }).description('list the definitions, by name'));
  addListOptions(list, 'all').action(async (options: ListJobsOptions) => {
    const { listJobs } = await import('./commands/jobs.ts');
    await finish(listJobs(context, options));
  });
  addClientOptions(
    jobs.command('show').description('one definition, with its next due times').argument('<job>'),
  ).action(async (name: string, options: JobsOptions) => {
    const { showJob } = await import('./commands/jobs.ts');
    await finish(showJob(context, name, options));
  });
  addClientOptions(jobs.command('define').description('define a job without code, or change it'))
    .argument('<job>')
    .argument('[command...]', 'the command to run, after --')
    .option('--http <url>', 'send a request instead')
    .option('--cron <line>', 'when: five fields, or six with seconds')
    .option('--every <minutes>', 'when: every so many minutes')
    .option('--daily <HH:mm>', 'when: every day at this time')
    .option('--once <instant>', 'when: once, like 2026-12-01T09:00:00+09:00')
    .option('--zone <zone>', 'time zone of --cron and --daily, like Asia/Tokyo (default: UTC)')
    .option('--payload <json>', 'payload of scheduled runs')
    .option('--queue <name>', 'its queue')
    .option('--retries <n>', 'attempts after the first (default: 3)')
    .option('--timeout <seconds>', 'longest run (default: 3600)')
    .addOption(
      new Option('--overlap <policy>', 'what a due time does while one runs').choices(['allow', 'forbid', 'replace']),
    )
    .action(async (name: string, command: string[], options: DefineJobOptions) => {
      const { defineJob } = await import('./commands/jobs.ts');
      await finish(defineJob(context, name, command, options));
    });
  addClientOptions(jobs.command('enqueue').description('make a run now, or later'))
    .argument('<job>')
    .option('--payload <json>', 'its payload')
    .option('--key <key>', 'a second run with this key is not made')
    .option('--at <instant>', 'not before this, like 2026-12-01T09:00:00+09:00')
    .option('--priority <n>', 'lower runs first')
    .action(async (name: string, options: EnqueueJobOptions) => {
      const { enqueueJob } = await import('./commands/jobs.ts');
      await finish(enqueueJob(context, name, options));
    });
  for (const [verb, paused] of [
    ['pause', true],
    ['resume', false],
  ] as const) {
    addClientOptions(jobs.command(verb).description(paused ? 'make no runs by the clock or events' : 'undo a pause'))
      .argument('<job>')
      .option('--why <text>', 'kept in the audit')
      .action(async (name: string, options: RunActOptions) => {
        const { pauseJob } = await import('./commands/jobs.ts');
        await finish(pauseJob(context, name, paused, options));
      });
  }
  const slots = addClientOptions(jobs.command('slots').description('what became of each due time, newest first'));
  addListOptions(slots.argument('<job>'), '50').action(async (name: string, options: ListJobsOptions) => {
    const { listSlots } = await import('./commands/jobs.ts');
    await finish(listSlots(context, name, options));
  });
}

function addRuns(program: Command, context: CliContext, finish: Finish): void {
  const runs = program
    .command('runs')
    .description('what ran and what it said; cancel, retry')
    .addHelpText('afterAll', runsHelp);
  const list = addClientOptions(runs.command('list', { isDefault: true }).description('list runs, newest first'))
    .option('--job <name>', 'only of this job')
    .option('--state <state>', 'only in this state, like FAILED')
    .option('--worker <id>', 'only of this worker');
  addListOptions(list, '50').action(async (options: ListRunsCommandOptions) => {
    const { listRuns } = await import('./commands/runs.ts');
    await finish(listRuns(context, options));
  });
  addClientOptions(runs.command('show').description('one run with every step it took').argument('<run>')).action(
    async (id: string, options: RunsOptions) => {
      const { showRun } = await import('./commands/runs.ts');
      await finish(showRun(context, id, options));
    },
  );
  addClientOptions(runs.command('tail').description('follow the log of a run until it ends').argument('<run>')).action(
    async (id: string, options: RunsOptions) => {
      const { tailRun } = await import('./commands/runs.ts');
      await finish(tailRun(context, id, options));
    },
  );
  const act = (verb: string, description: string): Command =>
    addClientOptions(runs.command(verb).description(description))
      .argument('<run>')
      .option('--why <text>', 'kept in the audit');
  act('cancel', 'end a run').action(async (id: string, options: RunActOptions) => {
    const { cancelRun } = await import('./commands/runs.ts');
    await finish(cancelRun(context, id, options));
  });
  act('retry', 'an ended run once more, as a new one').action(async (id: string, options: RunActOptions) => {
    const { retryRun } = await import('./commands/runs.ts');
    await finish(retryRun(context, id, options));
  });
  act('reassign', 'give a run that has not started to another worker').action(
    async (id: string, options: RunActOptions) => {
      const { reassignRun } = await import('./commands/runs.ts');
      await finish(reassignRun(context, id, options));
    },
  );
}

function addWorkers(program: Command, context: CliContext, finish: Finish): void {
  const workers = program
    .command('workers')
    .description('who works and who leads; drain, detach, demote')
    .addHelpText('afterAll', workersHelp);
  const list = addClientOptions(
    workers.command('list', { isDefault: true }).description('list the workers, newest first'),
  ).option('--all', 'also those that have ended');
  addListOptions(list, 'all').action(async (options: ListWorkersCommandOptions) => {
    const { listWorkers } = await import('./commands/workers.ts');
    await finish(listWorkers(context, options));
  });
  for (const [verb, description] of [
    ['drain', 'let a worker finish what it has and give it nothing more'],
    ['detach', 'give a worker nothing more; it must confirm what it runs'],
  ] as const) {
    addClientOptions(workers.command(verb).description(description))
      .argument('<worker>')
      .option('--why <text>', 'kept in the audit')
      .action(async (id: string, options: RunActOptions) => {
        const { changeWorker } = await import('./commands/workers.ts');
        await finish(changeWorker(context, id, verb, options));
      });
  }
  addClientOptions(workers.command('demote').description('end the leadership of whoever leads; another takes over'))
    .option('--why <text>', 'kept in the audit')
    .action(async (options: RunActOptions) => {
      const { demoteLeader } = await import('./commands/workers.ts');
      await finish(demoteLeader(context, options));
    });
}

const workerHelp = `
Handlers come from kannuki.config.js; without it only definitions with a command or an http target are run, as far as
--commands and --targets allow.

Examples:
  $ kannuki worker --commands
  $ DATABASE_URL=postgres://app@db/app kannuki worker --config jobs.config.js --concurrency 50
  $ kannuki worker --queues mail,reports --targets api.example.com,localhost`;

const jobsHelp = `
Examples:
  $ kannuki jobs
  $ kannuki jobs define report --daily 02:30 --zone Asia/Tokyo -- ./report.sh --full
  $ kannuki jobs define ping --every 5 --http https://example.com/ping
  $ kannuki jobs enqueue report --payload '{"month":5}' --key may-report
  $ kannuki jobs slots report`;

const runsHelp = `
'tail' ends with 0 when the run succeeded, else with 1.

Examples:
  $ kannuki runs --state FAILED
  $ kannuki runs tail 42
  $ kannuki runs cancel 42 --why "wrong month"`;

const workersHelp = `
Examples:
  $ kannuki workers
  $ kannuki workers drain 7 --why "kernel update"
  $ kannuki workers demote`;
