/** `kannuki leases`: who holds what, and ending it by an operator's word. */
import { LeaseError } from '../../core/errors.ts';
import { nameOf } from '../../core/grant-id.ts';
import { checkKey } from '../../core/lease-arguments.ts';
import { limits, sharedCapacity } from '../../core/limits.ts';
import type { LeaseInfo, LeaseStore } from '../../core/ports.ts';
import { createLeases, type Leases } from '../../engine/lease-keeper.ts';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { dataDirOf, openStore } from '../compose.ts';
import { formatDuration } from '../durations.ts';
import { exitCodes } from '../exit-codes.ts';
import { readCount } from '../options.ts';
import { chooseStore } from '../store-spec.ts';
import { tableLines } from '../table-lines.ts';

interface StoreOptions {
  readonly store?: string;
  readonly data?: string;
  readonly json?: boolean;
}

export interface ListLeasesOptions extends StoreOptions {
  readonly prefix?: string;
  readonly limit: string;
}

export interface BreakLeaseOptions extends StoreOptions {
  readonly reason: string;
  readonly by?: string;
}

export async function listLeases(context: CliContext, options: ListLeasesOptions): Promise<number> {
  const limit = Math.min(readCount('--limit', options.limit, context.messages), limits.listMax);
  const held = await withLeases(context, options, (leases) =>
    leases.list({ limit, ...(options.prefix !== undefined && { prefix: options.prefix }) }),
  );
  if (options.json) context.print(JSON.stringify(held));
  else if (held.length === 0) context.say(context.messages.noLeases);
  else
    for (const line of tableLines(['KEY', 'HOLDER', 'TOKEN', 'LEFT', 'WAITING', 'SHARE'], held.map(cells)))
      context.print(line);
  return exitCodes.ok;
}

export async function breakLease(context: CliContext, key: string, options: BreakLeaseOptions): Promise<number> {
  const { messages } = context;
  checkKey(key);
  const by = options.by ?? context.env.USER ?? context.env.USERNAME ?? 'operator';
  return withLeases(context, options, async (leases) => {
    // Asked first, so that a store out of reach is told apart from a break whose outcome is unknown.
    await leases.list({ prefix: key, limit: 1 });
    const reply = await leases.break(key, { reason: options.reason, by }).catch((error: unknown) => {
      if (!(error instanceof LeaseError) || error.code !== 'store-unavailable') throw error;
      throw new CliError(messages.breakUnknown(key, error.message), exitCodes.unknown, { cause: error });
    });
    if (options.json) context.print(JSON.stringify(reply));
    if (!reply.broken) throw new CliError(messages.notHeld(key), exitCodes.notFound);
    if (!options.json) context.say(messages.broken(key, reply.holders.map(nameOf).join(', ')));
    return exitCodes.ok;
  });
}

async function withLeases<T>(
  context: CliContext,
  options: StoreOptions,
  work: (leases: Leases) => Promise<T>,
): Promise<T> {
  const { env, messages, platform } = context;
  const spec = chooseStore({ store: options.store, env, messages });
  const store: LeaseStore = await openStore(spec, context, dataDirOf(options.data, env));
  const leases = createLeases({ store, platform });
  try {
    return await work(leases);
  } finally {
    await leases.close();
    await store.close();
  }
}

function cells({ key, owner, token, remainingMs, waiting, share }: LeaseInfo): readonly string[] {
  const part = share && (share.capacity === sharedCapacity ? 'shared' : `${share.weight} of ${share.capacity}`);
  return [key, nameOf(owner), String(token), formatDuration(Math.round(remainingMs)), String(waiting), part ?? ''];
}
