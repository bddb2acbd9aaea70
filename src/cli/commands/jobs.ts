/** `kannuki jobs`: what is defined, when it is due, making a run. A client of the server. */

import type { JobTarget, Schedule } from '../../systems/jobs/index.ts';
import { type ApiOptions, createApiClient } from '../api-client.ts';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatTime } from '../format-time.ts';
import { type ListOptions, readRows } from '../read-rows.ts';
import { tableLines } from '../table-lines.ts';

export interface JobsOptions extends ApiOptions {
  readonly json?: boolean;
}

export interface ListJobsOptions extends JobsOptions, ListOptions {}

export interface DefineJobOptions extends JobsOptions {
  readonly http?: string;
  readonly cron?: string;
  readonly every?: string;
  readonly daily?: string;
  readonly once?: string;
  readonly zone?: string;
  readonly payload?: string;
  readonly queue?: string;
  readonly retries?: string;
  readonly timeout?: string;
  readonly overlap?: 'allow' | 'forbid' | 'replace';
}

export interface EnqueueJobOptions extends JobsOptions {
  readonly payload?: string;
  readonly key?: string;
  readonly at?: string;
  readonly priority?: string;
}

export async function listJobs(context: CliContext, options: ListJobsOptions): Promise<number> {
  const client = createApiClient(context, options);
  const jobs = await readRows(context, client, options, 'GET /api/v1/jobs', {}, (page) => page.jobs);
  if (options.json) context.print(JSON.stringify(jobs));
  else if (jobs.length === 0) context.say(context.messages.noJobs);
  else {
    const rows = jobs.map((job) => [
      job.name,
      job.queue,
      job.schedule ? describeSchedule(job.schedule) : '',
      job.nextDueAtMs === null ? '' : formatTime(job.nextDueAtMs),
      job.paused || job.queuePaused ? 'paused' : '',
      job.target ? describeTarget(job.target) : 'code',
    ]);
    for (const line of tableLines(['JOB', 'QUEUE', 'SCHEDULE', 'NEXT', 'STATE', 'RUNS'], rows)) context.print(line);
  }
  return exitCodes.ok;
}

export async function showJob(context: CliContext, name: string, options: JobsOptions): Promise<number> {
  const reply = await createApiClient(context, options).call('GET /api/v1/jobs/:name', { params: { name } });
  context.print(JSON.stringify(reply, undefined, options.json ? undefined : 2));
  return exitCodes.ok;
}

export async function defineJob(
  context: CliContext,
  name: string,
  command: readonly string[],
  options: DefineJobOptions,
): Promise<number> {
  const { messages } = context;
  const body = {
    ...targetOf(context, command, options.http),
    ...scheduleOf(context, options),
    ...(options.payload !== undefined && { schedulePayload: parseJson(context, '--payload', options.payload) }),
    ...(options.queue !== undefined && { queue: options.queue }),
    ...(options.retries !== undefined && { maxRetries: Number(options.retries) }),
    ...(options.timeout !== undefined && { timeoutSeconds: Number(options.timeout) }),
    ...(options.overlap && { concurrency: options.overlap }),
  };
  const client = createApiClient(context, options);
  const reply = await client.call('PUT /api/v1/jobs/:name', { params: { name }, body });
  if (options.json) {
    context.print(JSON.stringify(reply));
    return exitCodes.ok;
  }
  context.say(messages.jobDefined(name));
  if (reply.nextDueTimes.length > 0) context.say(messages.nextTimes(name));
  for (const { scheduledForMs, reason } of reply.nextDueTimes)
    context.print(`${formatTime(scheduledForMs)}${reason === undefined ? '' : `  ${reason}`}`);
  return exitCodes.ok;
}

export async function enqueueJob(context: CliContext, name: string, options: EnqueueJobOptions): Promise<number> {
  const body = {
    ...(options.payload !== undefined && { payload: parseJson(context, '--payload', options.payload) }),
    ...(options.key !== undefined && { idempotencyKey: options.key }),
    ...(options.at !== undefined && { scheduledFor: options.at }),
    ...(options.priority !== undefined && { priority: Number(options.priority) }),
  };
  const client = createApiClient(context, options);
  const { runId, created } = await client.call('POST /api/v1/jobs/:name/runs', { params: { name }, body });
  if (options.json) context.print(JSON.stringify({ runId, created }));
  else {
    context.print(String(runId));
    context.say(context.messages.enqueued(runId, created));
  }
  return exitCodes.ok;
}

export async function pauseJob(
  context: CliContext,
  name: string,
  paused: boolean,
  options: JobsOptions & { readonly why?: string },
): Promise<number> {
  const body = { paused, ...(options.why !== undefined && { why: options.why }) };
  await createApiClient(context, options).call('POST /api/v1/jobs/:name/pause', { params: { name }, body });
  if (options.json) context.print(JSON.stringify({ paused }));
  else context.say(context.messages.jobPaused(name, paused));
  return exitCodes.ok;
}

export async function listSlots(context: CliContext, name: string, options: ListJobsOptions): Promise<number> {
  const client = createApiClient(context, options);
  const request = { params: { name } };
  const slots = await readRows(context, client, options, 'GET /api/v1/jobs/:name/slots', request, (page) => page.slots);
  if (options.json) context.print(JSON.stringify(slots));
  else if (slots.length === 0) context.say(context.messages.noSlots);
  else {
    const rows = slots.map(({ scheduledForMs, outcome, runId, reason }) => [
      formatTime(scheduledForMs),
      outcome,
      runId === null ? '' : String(runId),
      reason ?? '',
    ]);
    for (const line of tableLines(['DUE', 'OUTCOME', 'RUN', 'REASON'], rows)) context.print(line);
  }
  return exitCodes.ok;
}

function targetOf(
  { messages }: CliContext,
  command: readonly string[],
  url: string | undefined,
): { readonly target?: JobTarget } {
  if (command.length > 0 && url !== undefined) throw new CliError(messages.oneTarget, exitCodes.usage);
  if (url !== undefined) return { target: { kind: 'http', url } };
  return command.length > 0 ? { target: { kind: 'command', command } } : {};
}

function scheduleOf(
  { messages }: CliContext,
  { cron, every, daily, once, zone }: DefineJobOptions,
): { readonly schedule?: Schedule } {
  const zoned = zone === undefined ? {} : { zone };
  const given: Schedule[] = [
    ...(cron === undefined ? [] : [{ kind: 'cron' as const, cron, ...zoned }]),
    ...(every === undefined ? [] : [{ kind: 'every' as const, minutes: Number(every) }]),
    ...(daily === undefined ? [] : [{ kind: 'daily' as const, at: daily, ...zoned }]),
    ...(once === undefined ? [] : [{ kind: 'once' as const, at: once }]),
  ];
  if (given.length > 1) throw new CliError(messages.oneSchedule, exitCodes.usage);
  return given[0] ? { schedule: given[0] } : {};
}

function parseJson({ messages }: CliContext, option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError(messages.badJson(option), exitCodes.usage, { cause });
  }
}

function describeSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'cron':
      return `${schedule.cron} ${schedule.zone ?? 'UTC'}`;
    case 'daily':
      return `daily ${schedule.at} ${schedule.zone ?? 'UTC'}`;
    case 'every':
      return `every ${schedule.minutes} min`;
    case 'once':
      return `once ${schedule.at}`;
  }
}

function describeTarget(target: JobTarget): string {
  return target.kind === 'http' ? target.url : target.command.join(' ');
}
