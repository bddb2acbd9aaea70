/** The commands about tokens with their options and examples. Their code is loaded when it is called. */
import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { addClientOptions, addListOptions } from './client-options.ts';
import type { CreateTokenOptions, ListTokensOptions, RevokeTokenOptions } from './commands/tokens.ts';

type Finish = (code: Promise<number>) => Promise<void>;

export function addAccessCommands(program: Command, context: CliContext, finish: Finish): void {
  const tokens = program
    .command('tokens')
    .description('who may call the server; make and revoke tokens')
    .addHelpText('afterAll', tokensHelp);
  const list = tokens
    .command('list', { isDefault: true })
    .description('list the tokens, newest first, without secrets');
  addListOptions(addClientOptions(list), 'all').action(async (options: ListTokensOptions) => {
    const { listTokens } = await import('./commands/tokens.ts');
    await finish(listTokens(context, options));
  });
  addClientOptions(tokens.command('create').description('make a token; it is shown once'))
    .argument('<name>', 'whose it is; shown in the audit')
    .addOption(
      new Option('--role <role>', 'what it may do').choices(['viewer', 'operator', 'admin']).makeOptionMandatory(),
    )
    .option('--lasts <duration>', 'ends by itself after this, like 90d (default: until it is revoked)')
    .action(async (name: string, options: CreateTokenOptions) => {
      const { createToken } = await import('./commands/tokens.ts');
      await finish(createToken(context, name, options));
    });
  addClientOptions(tokens.command('revoke').description('end a token, on every server, at once'))
    .argument('<id>', 'as listed')
    .option('--why <text>', 'kept in the audit')
    .action(async (id: string, options: RevokeTokenOptions) => {
      const { revokeToken } = await import('./commands/tokens.ts');
      await finish(revokeToken(context, id, options));
    });
}

const tokensHelp = `
Examples:
  $ kannuki tokens create ci --role operator --lasts 90d
  $ kannuki tokens
  $ kannuki tokens revoke 3f9a0c51b2de --why "left the team"`;
