/** `kannuki.config.js` (or .mjs) of the working folder, or the file that `--config` names. Without one there is no code to run. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { KannukiConfig } from '../server/index.ts';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';

export async function readConfig({ messages }: CliContext, named: string | undefined): Promise<KannukiConfig> {
  const found = ['kannuki.config.js', 'kannuki.config.mjs'].find((name) => existsSync(name));
  const path = named ?? found;
  if (path === undefined) return {};
  const fail = (why: string, cause?: unknown): never => {
    throw new CliError(messages.badConfig(path, why), exitCodes.usage, { cause });
  };
  if (!existsSync(path)) fail('there is no such file.');
  const module: { readonly default?: unknown } = await import(pathToFileURL(resolve(path)).href).catch(
    (cause: unknown) => fail(cause instanceof Error ? cause.message : String(cause), cause),
  );
  const config = module.default;
  if (typeof config !== 'object' || config === null) return fail('it has no default export; use defineConfig({ … }).');
  const { jobs, analysis, hidden, reservations } = config as {
    readonly jobs?: unknown;
    readonly analysis?: { readonly analyze?: unknown };
    readonly hidden?: unknown;
    readonly reservations?: unknown;
  };
  if (hidden !== undefined && !(Array.isArray(hidden) && hidden.every((name) => typeof name === 'string')))
    return fail('"hidden" must be a list of names.');
  if (jobs !== undefined && !Array.isArray(jobs)) return fail('"jobs" must be a list of definitions.');
  if (analysis !== undefined && typeof analysis?.analyze !== 'function')
    return fail('"analysis" must have a function "analyze".');
  if (
    reservations !== undefined &&
    reservations !== false &&
    (typeof reservations !== 'object' || reservations === null)
  )
    return fail('"reservations" must be an object, or false.');
  return config as KannukiConfig;
}
