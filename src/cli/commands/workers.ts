/** `kannuki workers`: who works, who leads; draining, detaching, demoting. A client of the server. */
import { type ApiOptions, createApiClient } from '../api-client.ts';
import type { CliContext } from '../cli-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatTime } from '../format-time.ts';
import { type ListOptions, readRows } from '../read-rows.ts';
import { tableLines } from '../table-lines.ts';
import { type RunActOptions, readId, whyOf } from './runs.ts';

export interface ListWorkersCommandOptions extends ApiOptions, ListOptions {
  readonly json?: boolean;
  readonly all?: boolean;
}

export async function listWorkers(context: CliContext, options: ListWorkersCommandOptions): Promise<number> {
  const client = createApiClient(context, options);
  const query = { live: !options.all };
  const workers = await readRows(context, client, options, 'GET /api/v1/workers', { query }, (page) => page.workers);
  if (options.json) context.print(JSON.stringify(workers));
  else if (workers.length === 0) context.say(context.messages.noWorkers);
  else {
    const rows = workers.map(({ id, name, state, leading, load, capacity, seenAtMs }) => [
      String(id),
      name,
      state,
      leading ? 'leads' : '',
      `${load}/${capacity}`,
      formatTime(seenAtMs),
    ]);
    for (const line of tableLines(['WORKER', 'NAME', 'STATE', 'ROLE', 'LOAD', 'SEEN'], rows)) context.print(line);
  }
  return exitCodes.ok;
}

export async function changeWorker(
  context: CliContext,
  id: string,
  act: 'detach' | 'drain',
  options: RunActOptions,
): Promise<number> {
  const workerId = readId(context, id);
  const request = { params: { id: workerId }, body: whyOf(options) };
  const reply = await createApiClient(context, options).call(`POST /api/v1/workers/:id/${act}`, request);
  const { workerDetached, workerDraining } = context.messages;
  if (options.json) context.print(JSON.stringify(reply));
  else context.say(act === 'drain' ? workerDraining(workerId) : workerDetached(workerId));
  return exitCodes.ok;
}

export async function demoteLeader(context: CliContext, options: RunActOptions): Promise<number> {
  const client = createApiClient(context, options);
  const { demoted } = await client.call('POST /api/v1/leader/demote', { body: whyOf(options) });
  if (options.json) context.print(JSON.stringify({ demoted }));
  else context.say(context.messages.demoted(demoted));
  return exitCodes.ok;
}
