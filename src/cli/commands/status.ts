/** `kannuki status`: what somebody on call wants to know first, on one screen. A client of the server. */
import { nameOf } from '../../core/grant-id.ts';
import { type ApiClient, type ApiOptions, createApiClient } from '../api-client.ts';
import type { CliContext } from '../cli-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { displayWidth } from '../table-lines.ts';

export interface StatusOptions extends ApiOptions {
  readonly json?: boolean;
}

const leaderKey = 'scheduler/leader';
const rowsMax = 1_000;

/** 0: ready · 1: it answers, and is not ready · 5: no answer */
export async function status(context: CliContext, options: StatusOptions): Promise<number> {
  const client = createApiClient(context, options);
  const whyNot = await client.whyNotReady();
  if (whyNot !== undefined) {
    if (options.json) context.print(JSON.stringify({ url: client.url, ready: false, reason: whyNot }));
    else context.print(context.messages.statusNotReady(whyNot));
    return exitCodes.failed;
  }
  const found = await readStatus(client);
  if (options.json) context.print(JSON.stringify({ url: client.url, ready: true, ...found }));
  else for (const line of linesOf(context, client.url, found)) context.print(line);
  return exitCodes.ok;
}

interface Status {
  readonly leader: { readonly name: string; readonly epoch: number } | null;
  readonly workers: { readonly active: number; readonly load: number; readonly capacity: number };
  readonly queue: { readonly waiting: number; readonly running: number; readonly complete: boolean };
  readonly lastHour: { readonly succeeded: number; readonly failed: number };
  readonly failing: readonly {
    readonly job: string;
    readonly failed: number;
    readonly ended: number;
    readonly lastError: string | null;
  }[];
  readonly leases: { readonly held: number; readonly waiting: number; readonly complete: boolean };
}

async function readStatus(client: ApiClient): Promise<Status> {
  const [{ workers }, { leases, cursor }, { leases: leaders }, overview, counts] = await Promise.all([
    client.call('GET /api/v1/workers', { query: { live: true, limit: rowsMax } }),
    client.call('GET /api/v1/leases', { query: { limit: rowsMax } }),
    client.call('GET /api/v1/leases', { query: { prefix: leaderKey, limit: 1 } }),
    client.call('GET /api/v1/overview', { query: { minutes: 60 } }),
    client.call('GET /api/v1/run-counts', { query: { state: ['PENDING', 'ASSIGNED', 'RUNNING', 'ORPHANED'] } }),
  ]);
  const active = workers.filter(({ state }) => state === 'ACTIVE' || state === 'DRAINING');
  const leading = leaders.find(({ key }) => key === leaderKey);
  const { states, complete } = counts;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    leader: leading ? { name: nameOf(leading.owner), epoch: overview.epoch } : null,
    workers: {
      active: active.length,
      load: sum(active.map(({ load }) => load)),
      capacity: sum(active.map(({ capacity }) => capacity)),
    },
    queue: {
      waiting: (states.PENDING ?? 0) + (states.ASSIGNED ?? 0) + (states.ORPHANED ?? 0),
      running: states.RUNNING ?? 0,
      complete,
    },
    lastHour: {
      succeeded: sum(overview.parts.map(({ succeeded }) => succeeded)),
      failed: sum(overview.parts.map(({ failed }) => failed)),
    },
    failing: overview.failing.map(({ job, failed, ended, lastError }) => ({ job, failed, ended, lastError })),
    leases: {
      held: leases.length,
      waiting: sum(leases.map(({ waiting }) => waiting)),
      complete: cursor === undefined,
    },
  };
}

function linesOf({ messages, colour }: CliContext, url: string, found: Status): readonly string[] {
  const [server, leader, workers, queue, lately, failing, leases] = messages.statusLabels;
  const red = (text: string): string => (colour ? `\u001b[31m${text}\u001b[0m` : text);
  const rows: readonly (readonly [string, string])[] = [
    [server, `${url}, ${messages.statusReady}`],
    [
      leader,
      found.leader ? messages.statusLeader(found.leader.name, found.leader.epoch) : red(messages.statusNoLeader),
    ],
    [workers, messages.statusWorkers(found.workers.active, found.workers.load, found.workers.capacity)],
    [queue, messages.statusQueue(found.queue.waiting, found.queue.running, found.queue.complete)],
    [lately, messages.statusLately(found.lastHour.succeeded, found.lastHour.failed)],
    ...found.failing.map(({ job, failed, ended, lastError }, at): readonly [string, string] => [
      at === 0 ? failing : '',
      red(messages.statusFailing(job, failed, ended, shorten(lastError ?? ''))),
    ]),
    [leases, messages.statusLeases(`${found.leases.held}${found.leases.complete ? '' : '+'}`, found.leases.waiting)],
  ];
  const width = Math.max(...rows.map(([label]) => displayWidth(label))) + 2;
  return rows.map(([label, text]) => `${label}${' '.repeat(width - displayWidth(label))}${text}`);
}

/** One line of an error: control characters must not reach the terminal. */
function shorten(text: string): string {
  const [line = ''] = text.split('\n');
  return line.replace(/\p{Cc}/gu, '\u{fffd}').slice(0, 100);
}
