/** `kannuki bench`: the benchmarks of the repository. They compare with peers, so they are not part of the package. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

export async function bench({ messages }: CliContext, args: readonly string[]): Promise<number> {
  const script = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'scripts', 'bench.mjs');
  if (!existsSync(script)) throw new CliError(messages.benchElsewhere, exitCodes.notFound);
  const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? exitCodes.interrupted;
}
