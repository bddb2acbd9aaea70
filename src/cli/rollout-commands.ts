/** The commands about rollouts with their options and examples. Their code is loaded when it is called. */
import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { addClientOptions } from './client-options.ts';
import type { CollectMetricsOptions } from './commands/collect-metrics.ts';
import type { FlagsOptions, RollbackOptions, SetFlagsOptions } from './commands/flags.ts';

type Finish = (code: Promise<number>) => Promise<void>;

export function addRolloutCommands(program: Command, context: CliContext, finish: Finish): void {
  addCollectMetrics(program, context, finish);
  const flags = program
    .command('flags')
    .description('how far AutoSave is rolled out; move it')
    .addHelpText('afterAll', flagsHelp);
  addClientOptions(
    flags.command('list', { isDefault: true }).description('phases, shares, limits, last changes'),
  ).action(async (options: FlagsOptions) => {
    const { listFlags } = await import('./commands/flags.ts');
    await finish(listFlags(context, options));
  });
  addClientOptions(flags.command('promote').description('go to the next phase')).action(
    async (options: FlagsOptions) => {
      const { promoteFlags } = await import('./commands/flags.ts');
      await finish(promoteFlags(context, options));
    },
  );
  addClientOptions(flags.command('rollback').description('go back'))
    .option('--phase <phase>', 'the earlier phase (default: the one before)')
    .action(async (options: RollbackOptions) => {
      const { rollbackFlags } = await import('./commands/flags.ts');
      await finish(rollbackFlags(context, options));
    });
  addClientOptions(flags.command('set').description('go to any phase, or change its limit'))
    .option('--phase <phase>', 'A-0, A-1, A-2, B-0 or B-1')
    .option('--threshold <share>', 'readonly rate above which the phase is rolled back, 0 to 1')
    .addOption(new Option('--mode <mode>', 'roll back by itself, or only say so').choices(['auto', 'propose']))
    .action(async (options: SetFlagsOptions) => {
      const { setFlags } = await import('./commands/flags.ts');
      await finish(setFlags(context, options));
    });
}

function addCollectMetrics(program: Command, context: CliContext, finish: Finish): void {
  addClientOptions(program.command('collect-metrics').description('how the project lock fares in the field, per phase'))
    .option('--window <duration>', 'how far back to look, 1m to 24h', '15m')
    .addHelpText('after', collectMetricsHelp)
    .action(async (options: CollectMetricsOptions) => {
      const { collectMetrics } = await import('./commands/collect-metrics.ts');
      await finish(collectMetrics(context, options));
    });
}

const flagsHelp = `
Examples:
  $ kannuki flags
  $ kannuki flags promote
  $ kannuki flags rollback --phase A-2
  $ kannuki flags set --threshold 0.03 --mode propose`;

const collectMetricsHelp = `
Examples:
  $ kannuki collect-metrics
  $ kannuki collect-metrics --window 1h --json`;
