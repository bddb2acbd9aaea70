/** `kannuki flags`: how far AutoSave is rolled out, and moving it. A client of the server. */

import type { ApiAnswer, ApiBody } from '../../client/route-call.ts';
import { isPhase, type Phase } from '../../core/rollout/phase.ts';
import { type ApiOptions, createApiClient } from '../api-client.ts';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatShare } from '../format-share.ts';
import { formatTime } from '../format-time.ts';
import { tableLines } from '../table-lines.ts';

export interface FlagsOptions extends ApiOptions {
  readonly json?: boolean;
}

export interface RollbackOptions extends FlagsOptions {
  readonly phase?: string;
}

export interface SetFlagsOptions extends RollbackOptions {
  readonly threshold?: string;
  readonly mode?: 'auto' | 'propose';
}

export async function listFlags(context: CliContext, options: FlagsOptions): Promise<number> {
  const reply = await createApiClient(context, options).call('GET /api/v1/flags', {});
  if (options.json) {
    context.print(JSON.stringify(reply));
    return exitCodes.ok;
  }
  const { phase, settings, version } = reply.rollout;
  const rows = Object.entries(settings.shares).map(([name, share]) => [
    name === phase ? `${name} *` : name,
    formatShare(share),
    formatShare(settings.thresholds[name as Phase]),
  ]);
  for (const line of tableLines(['PHASE', 'CLIENTS', 'LIMIT'], rows)) context.print(line);
  for (const { atMs, actor, action, before, after } of reply.changes.slice(0, 5))
    context.print(`${formatTime(atMs)}  ${action}  ${before.phase} → ${after.phase}  ${actor}`);
  context.say(context.messages.rolloutNow(phase, formatShare(settings.shares[phase]), version));
  return exitCodes.ok;
}

export async function promoteFlags(context: CliContext, options: FlagsOptions): Promise<number> {
  return change(context, options, ({ rollout }) => ({ action: 'promote', version: rollout.version }));
}

export async function rollbackFlags(context: CliContext, options: RollbackOptions): Promise<number> {
  const phase = readPhase(context, options.phase);
  return change(context, options, ({ rollout }) => ({
    action: 'rollback',
    version: rollout.version,
    ...(phase && { phase }),
  }));
}

export async function setFlags(context: CliContext, options: SetFlagsOptions): Promise<number> {
  const phase = readPhase(context, options.phase);
  const threshold = readShare(context, '--threshold', options.threshold);
  return change(context, options, ({ rollout }) => {
    const at = phase ?? rollout.phase;
    const settings = {
      ...(threshold !== undefined && { thresholds: { ...rollout.settings.thresholds, [at]: threshold } }),
      ...(options.mode && { rollback: options.mode }),
    };
    return { action: 'set', version: rollout.version, settings, ...(phase && { phase }) };
  });
}

async function change(
  context: CliContext,
  options: FlagsOptions,
  bodyOf: (seen: ApiAnswer<'GET /api/v1/flags'>) => ApiBody<'POST /api/v1/flags'>,
): Promise<number> {
  const client = createApiClient(context, options);
  const seen = await client.call('GET /api/v1/flags', {});
  const body = bodyOf(seen);
  const { rollout } = await client.call('POST /api/v1/flags', { body });
  const share = formatShare(rollout.settings.shares[rollout.phase]);
  if (options.json) context.print(JSON.stringify(rollout));
  else if (body.action === 'rollback')
    context.print(context.messages.rolledBack(seen.rollout.phase, rollout.phase, share, rollout.version));
  else context.print(context.messages.rolloutNow(rollout.phase, share, rollout.version));
  return exitCodes.ok;
}

function readPhase({ messages }: CliContext, text: string | undefined): Phase | undefined {
  if (text === undefined || isPhase(text)) return text;
  throw new CliError(messages.badPhase(text), exitCodes.usage);
}

function readShare({ messages }: CliContext, option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const share = text.trim() === '' ? Number.NaN : Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new CliError(messages.badShare(option, text), exitCodes.usage);
}
