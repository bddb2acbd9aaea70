/**
 * `kannuki leases`: who holds what, and ending it by an operator's word. A client of the server; with `--store` or
 * KANNUKI_STORE it looks into that store itself, as `exec` does.
 */
import { LeaseError } from '../../core/errors.ts';
import { nameOf } from '../../core/grant-id.ts';
import { checkKey } from '../../core/lease-arguments.ts';
import { limits, sharedCapacity } from '../../core/limits.ts';
import type { BreakReply, LeaseInfo, LeaseStore, ListPlace } from '../../core/ports.ts';
import { createLeases, type Leases } from '../../engine/lease-keeper.ts';
import { listQuery } from '../../server/contract.ts';
import { writeCursor } from '../../server/paging/page-cursor.ts';
import { type ApiOptions, createApiClient } from '../api-client.ts';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { dataDirOf, openStore } from '../compose.ts';
import { formatDuration } from '../durations.ts';
import { exitCodes } from '../exit-codes.ts';
import { readCount } from '../options.ts';
import { type ListOptions, readRows } from '../read-rows.ts';
import { chooseStore } from '../store-spec.ts';
import { tableLines } from '../table-lines.ts';

interface StoreOptions extends ApiOptions {
  readonly store?: string;
  readonly json?: boolean;
}

export interface ListLeasesOptions extends StoreOptions, ListOptions {
  readonly prefix?: string;
}

export interface BreakLeaseOptions extends StoreOptions {
  readonly reason: string;
  readonly by?: string;
}

export async function listLeases(context: CliContext, options: ListLeasesOptions): Promise<number> {
  const held = isStoreNamed(context, options) ? await readStore(context, options) : await askServer(context, options);
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
  const act = { key, reason: options.reason, by };
  const reply: BreakReply = isStoreNamed(context, options)
    ? await withLeases(context, options, (leases) => breakIn(context, leases, act))
    : await createApiClient(context, options).call('POST /api/v1/leases/break', { body: act });
  if (options.json) context.print(JSON.stringify(reply));
  if (!reply.broken) throw new CliError(messages.notHeld(key), exitCodes.notFound);
  if (!options.json) context.say(messages.broken(key, reply.holders.map(nameOf).join(', ')));
  return exitCodes.ok;
}

/** Where the locks are kept is said as for `exec`; else the server knows. `--url` means the server in any case. */
function isStoreNamed({ env }: CliContext, { store, url }: StoreOptions): boolean {
  return store !== undefined || (url === undefined && Boolean(env.KANNUKI_STORE));
}

function askServer(context: CliContext, options: ListLeasesOptions): Promise<readonly LeaseInfo[]> {
  const client = createApiClient(context, options);
  const query = options.prefix === undefined ? {} : { prefix: options.prefix };
  return readRows(context, client, options, 'GET /api/v1/leases', { query }, (page) => page.leases);
}

async function readStore(context: CliContext, options: ListLeasesOptions): Promise<readonly LeaseInfo[]> {
  const { limit: text, prefix } = options;
  const { messages } = context;
  const place = readPlace(context, options);
  const wanted = text === 'all' ? Number.POSITIVE_INFINITY : readCount('--limit', text, messages);
  return withLeases(context, options, async (leases) => {
    const rows: LeaseInfo[] = [];
    for (;;) {
      const limit = Math.min(limits.listMax, wanted - rows.length);
      const after = rows.at(-1) ?? place;
      const page = await leases.list({ limit, ...(prefix !== undefined && { prefix }), ...(after && { after }) });
      rows.push(...page);
      if (page.length < limit) return rows;
      const last = rows.at(-1);
      if (rows.length < wanted || !last) continue;
      context.say(messages.moreRows(writeCursor('leases', [last.key, last.token])));
      return rows;
    }
  });
}

/** The server's spelling, so that a place means the same with a store and without. */
function readPlace(context: CliContext, { prefix = '', after }: ListLeasesOptions): ListPlace | undefined {
  if (after === undefined) return undefined;
  const { cursor } = listQuery.safeParse({ prefix, cursor: after }).data ?? {};
  if (!cursor) throw new CliError(context.messages.badAfter, exitCodes.usage);
  return { key: cursor[0], token: cursor[1] };
}

async function breakIn(
  { messages }: CliContext,
  leases: Leases,
  { key, ...act }: { readonly key: string; readonly reason: string; readonly by: string },
): Promise<BreakReply> {
  // Asked first, so that a store out of reach is told apart from a break whose outcome is unknown.
  await leases.list({ prefix: key, limit: 1 });
  return leases.break(key, act).catch((error: unknown) => {
    if (!(error instanceof LeaseError) || error.code !== 'store-unavailable') throw error;
    throw new CliError(messages.breakUnknown(key, error.message), exitCodes.unknown, { cause: error });
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
