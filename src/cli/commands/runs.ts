/** `kannuki runs`: what ran, what it said, ending and repeating it. A client of the server. */
import { type ApiClient, type ApiOptions, createApiClient } from '../api-client.ts';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatTime } from '../format-time.ts';
import { type ListOptions, readRows } from '../read-rows.ts';
import { tableLines } from '../table-lines.ts';

export interface RunsOptions extends ApiOptions {
  readonly json?: boolean;
}

export interface ListRunsCommandOptions extends RunsOptions, ListOptions {
  readonly job?: string;
  readonly state?: string;
  readonly worker?: string;
}

export interface RunActOptions extends RunsOptions {
  readonly why?: string;
}

const askAgainMs = 500;

export async function listRuns(context: CliContext, options: ListRunsCommandOptions): Promise<number> {
  const query = {
    ...(options.job !== undefined && { job: options.job }),
    ...(options.state !== undefined && { state: options.state.toUpperCase() }),
    ...(options.worker !== undefined && { workerId: options.worker }),
  };
  const client = createApiClient(context, options);
  const runs = await readRows(context, client, options, 'GET /api/v1/runs', { query }, (page) => page.runs);
  if (options.json) context.print(JSON.stringify(runs));
  else if (runs.length === 0) context.say(context.messages.noRuns);
  else {
    const rows = runs.map((run) => [
      String(run.id),
      run.job,
      run.state,
      String(run.attempt),
      run.workerId === null ? '' : String(run.workerId),
      formatTime(run.startedAtMs ?? run.scheduledForMs),
      run.error ?? run.reason ?? '',
    ]);
    for (const line of tableLines(['RUN', 'JOB', 'STATE', 'ATTEMPT', 'WORKER', 'TIME', 'REASON'], rows))
      context.print(line.slice(0, 500));
  }
  return exitCodes.ok;
}

export async function showRun(context: CliContext, id: string, options: RunsOptions): Promise<number> {
  const { runId, client } = open(context, id, options);
  const reply = await client.call('GET /api/v1/runs/:id', { params: { id: runId } });
  context.print(JSON.stringify(reply, undefined, options.json ? undefined : 2));
  return exitCodes.ok;
}

/** Prints the log as it grows until the run has ended; 0 when it succeeded, else 1. */
export async function tailRun(context: CliContext, id: string, options: RunsOptions): Promise<number> {
  const { messages, platform } = context;
  const { runId, client } = open(context, id, options);
  const params = { id: runId };
  for (let after: string | undefined; ; ) {
    const page = await client.call('GET /api/v1/runs/:id/log', { params, query: { limit: 1_000, after } });
    for (const line of page.lines) context.print(options.json ? JSON.stringify(line) : showable(line.text));
    after = page.next;
    if (page.ended) break;
    if (!page.more) await new Promise<void>((resolve) => platform.clock.after(askAgainMs, resolve));
  }
  const { run } = await client.call('GET /api/v1/runs/:id', { params });
  if (!options.json) context.say(messages.runEnded(runId, run.state, run.error ?? run.reason ?? ''));
  return run.state === 'SUCCEEDED' ? exitCodes.ok : exitCodes.failed;
}

export async function cancelRun(context: CliContext, id: string, options: RunActOptions): Promise<number> {
  const { runId, client } = open(context, id, options);
  const reply = await client.call('POST /api/v1/runs/:id/cancel', { params: { id: runId }, body: whyOf(options) });
  if (options.json) context.print(JSON.stringify(reply));
  else if (reply.outcome === 'requested') context.say(context.messages.cancelRequested(runId));
  else context.say(context.messages.runCanceled(runId));
  return exitCodes.ok;
}

export async function retryRun(context: CliContext, id: string, options: RunActOptions): Promise<number> {
  const { runId, client } = open(context, id, options);
  const reply = await client.call('POST /api/v1/runs/:id/retry', { params: { id: runId }, body: whyOf(options) });
  if (options.json) context.print(JSON.stringify(reply));
  else {
    context.print(String(reply.runId));
    context.say(context.messages.runRetried(runId, reply.runId));
  }
  return exitCodes.ok;
}

export async function reassignRun(context: CliContext, id: string, options: RunActOptions): Promise<number> {
  const { runId, client } = open(context, id, options);
  const reply = await client.call('POST /api/v1/runs/:id/reassign', { params: { id: runId }, body: whyOf(options) });
  if (options.json) context.print(JSON.stringify(reply));
  else context.say(context.messages.runReassigned(runId));
  return exitCodes.ok;
}

export function whyOf({ why }: { readonly why?: string }): { readonly why?: string } {
  return why === undefined ? {} : { why };
}

export function readId({ messages }: CliContext, text: string): number {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (id >= 1) return id;
  throw new CliError(messages.badId(text), exitCodes.usage);
}

function open(
  context: CliContext,
  id: string,
  options: ApiOptions,
): { readonly runId: number; readonly client: ApiClient } {
  return { runId: readId(context, id), client: createApiClient(context, options) };
}

/** A log may hold anything; a terminal gets no control characters but tabs. */
function showable(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => (char === '\t' ? char : '\u{fffd}'));
}
