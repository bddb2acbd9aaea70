/**
 * `kannuki exec`: runs a command while holding a lease.
 *
 *   not granted         75, the command is not started
 *   lease lost          the command's group gets SIGTERM, SIGKILL after the grace time, then 76
 *   command ended       its own exit code, or 128 + n after signal n; the lease is given back
 *   SIGINT, SIGTERM…    passed on to the command, which decides
 *   we are killed -9    the watch ends the command; the lease ends with its TTL
 *
 * The grace time ends before the TTL does: the deadline for renewals is set early enough, so that even when the store
 * hangs the command is gone before anybody else is granted the lease.
 */
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { LeaseError } from '../../core/errors.ts';
import type { LostReason } from '../../core/events.ts';
import { nameOf } from '../../core/grant-id.ts';
import { checkKey } from '../../core/lease-arguments.ts';
import type { Clock } from '../../core/ports.ts';
import type { Lease } from '../../engine/lease.ts';
import { type AcquireOutcome, createLeases, type Leases } from '../../engine/lease-keeper.ts';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { dataDirOf, openStore } from '../compose.ts';
import { formatDuration } from '../durations.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import type { Messages } from '../messages.ts';
import { graceBounds, readCount, readDuration, ttlBounds, waitBounds } from '../options.ts';
import { startCommand } from '../start-command.ts';
import { chooseStore } from '../store-spec.ts';
import { watchOwnDeath } from '../watch-own-death.ts';

export interface ExecOptions {
  readonly lock: string;
  readonly ttl: string;
  readonly wait: string;
  readonly grace?: string;
  readonly store?: string;
  readonly data?: string;
  readonly shared?: boolean;
  readonly permits?: string;
}

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Giving back is for the next holder's sake; a store that hangs must not hold up the caller for long. */
const releaseMsMax = 5_000;
const closeMsMax = 500;

export async function exec(context: CliContext, command: readonly string[], options: ExecOptions): Promise<number> {
  const { messages, env, platform } = context;
  const { clock } = platform;
  const plan = readPlan(options, messages);
  const spec = chooseStore({ store: options.store, env, messages });
  if (plan.graceTooLong)
    context.say(`kannuki: ${messages.graceTooLong(formatDuration(plan.graceMs), formatDuration(plan.ttlMs))}`);

  const signals = listenToSignals();
  const store = await openStore(spec, context, dataDirOf(options.data, env)).catch(asExecError);
  const leases = createLeases({ store, ttlMs: plan.ttlMs, renewDeadlineMs: plan.renewDeadlineMs, platform });
  try {
    const outcome = await acquire(context, leases, plan, signals.first).catch(asExecError);
    if (!outcome.acquired) return refuse(context, plan, outcome, signals.received());
    return await runUnder(context, outcome.lease, command, plan.graceMs, signals);
  } finally {
    signals.stop();
    await within(
      clock,
      closeMsMax,
      leases.close().then(() => store.close()),
    );
  }
}

interface Plan {
  readonly lock: string;
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly graceMs: number;
  readonly graceTooLong: boolean;
  readonly renewDeadlineMs: number;
  readonly share: { readonly shared?: true; readonly capacity?: number };
}

function readPlan(options: ExecOptions, messages: Messages): Plan {
  checkKey(options.lock, 'lock name');
  const ttlMs = readDuration('--ttl', options.ttl, ttlBounds, messages);
  const waitMs = readDuration('--wait', options.wait, waitBounds, messages);
  const graceMs =
    options.grace === undefined
      ? Math.min(5_000, ttlMs * 0.15)
      : readDuration('--grace', options.grace, graceBounds, messages);
  // Twentieth parts of the TTL: one for timers that are late, and never a deadline that a single lost renewal breaks.
  const endsInTimeMs = ttlMs * 0.95 - graceMs;
  return {
    lock: options.lock,
    ttlMs,
    waitMs,
    graceMs,
    graceTooLong: endsInTimeMs < ttlMs * 0.4,
    renewDeadlineMs: Math.min(ttlMs * 0.8, Math.max(ttlMs * 0.4, endsInTimeMs)),
    share: {
      ...(options.shared && { shared: true }),
      ...(options.permits !== undefined && { capacity: readCount('--permits', options.permits, messages) }),
    },
  };
}

async function acquire(context: CliContext, leases: Leases, plan: Plan, signal: AbortSignal): Promise<AcquireOutcome> {
  const { lock, waitMs, share } = plan;
  const first = await leases.tryAcquire(lock, share);
  if (first.acquired || waitMs === 0 || signal.aborted) return first;
  context.say(`kannuki: ${context.messages.waiting(lock, holderName(first.holder, context.messages))}`);
  return leases.acquire(lock, { ...share, waitMs, signal });
}

function refuse(
  { messages }: CliContext,
  { lock, waitMs }: Plan,
  outcome: AcquireOutcome & { acquired: false },
  received: NodeJS.Signals | undefined,
): never {
  if (received !== undefined) throw new CliError(messages.interruptedWhileWaiting(lock), codeOfSignal(received));
  const holder = holderName(outcome.holder, messages);
  const sentence =
    waitMs === 0 ? messages.heldNow(lock, holder) : messages.notAcquired(lock, formatDuration(waitMs), holder);
  throw new CliError(sentence, exitCodes.execNotAcquired);
}

async function runUnder(
  context: CliContext,
  lease: Lease,
  command: readonly string[],
  graceMs: number,
  signals: SignalListener,
): Promise<number> {
  const { messages, env, platform } = context;
  const { clock } = platform;
  const received = signals.received();
  if (received !== undefined) throw new CliError(messages.interruptedWhileWaiting(lease.key), codeOfSignal(received));
  const watch = watchOwnDeath(graceMs);
  const child = await startCommand({
    command,
    clock,
    env: { ...env, KANNUKI_TOKEN: String(lease.token), KANNUKI_LOCK: lease.key },
    onStart: watch.guard,
  }).catch((error: unknown) => {
    watch.done();
    throw cannotStart(command[0] ?? '', error, context);
  });
  signals.forwardTo(child.send);
  let ending: Promise<void> | undefined;
  const end = (): void => {
    ending ??= child.end(graceMs);
  };
  lease.signal.addEventListener('abort', end);
  if (lease.signal.aborted) end();
  const ended = await child.ended;
  lease.signal.removeEventListener('abort', end);
  await ending;
  watch.done();
  if (ending)
    throw new CliError(messages.lost(lease.key, describeLoss(lease.lostReason, messages)), exitCodes.execLost);
  const released = await within(clock, releaseMsMax, lease.release());
  if (released !== true) context.say(`kannuki: ${messages.releaseFailed(lease.key)}`);
  return 'code' in ended ? ended.code : codeOfSignal(ended.signal);
}

function describeLoss(reason: LostReason | undefined, messages: Messages): string {
  switch (reason?.kind) {
    case 'broken':
      return messages.lostBroken(reason.by, reason.reason);
    case 'taken':
      return messages.lostTaken(nameOf(reason.holder));
    case 'expired':
      return messages.lostExpired;
    case 'closed':
      return messages.lostClosed;
    default:
      return messages.lostDeadline;
  }
}

/** Failures of the store get a code of their own, since any other may be the command's. */
function asExecError(error: unknown): never {
  const code = exitCodeOf(error);
  if (!(error instanceof LeaseError) || code === exitCodes.usage) throw error;
  throw new CliError(error.message, exitCodes.execStore, { cause: error });
}

function cannotStart(command: string, error: unknown, { env, messages }: CliContext): CliError {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || (code === 'EACCES' && !isOnPath(command, env.PATH ?? ''))
    ? new CliError(messages.commandNotFound(command), exitCodes.execNoCommand, { cause: error })
    : new CliError(messages.commandCannotRun(command, code ?? message), exitCodes.execCannotRun, { cause: error });
}

/** A folder of PATH that we may not enter makes a missing command look forbidden; shells call it missing, too. */
function isOnPath(command: string, path: string): boolean {
  return command.includes('/') || path.split(delimiter).some((dir) => existsSync(join(dir, command)));
}

function holderName(holder: string | undefined, messages: Messages): string {
  return holder === undefined ? messages.somebody : nameOf(holder);
}

function codeOfSignal(signal: NodeJS.Signals): number {
  return 128 + (constants.signals[signal] ?? 0);
}

interface SignalListener {
  /** Fires at the first signal. */
  readonly first: AbortSignal;
  received(): NodeJS.Signals | undefined;
  forwardTo(send: (signal: NodeJS.Signals) => void): void;
  stop(): void;
}

function listenToSignals(): SignalListener {
  const first = new AbortController();
  let received: NodeJS.Signals | undefined;
  let send: ((signal: NodeJS.Signals) => void) | undefined;
  const hear = (signal: NodeJS.Signals): void => {
    received ??= signal;
    first.abort();
    send?.(signal);
  };
  for (const signal of forwarded) process.on(signal, hear);
  return {
    first: first.signal,
    received: () => received,
    forwardTo(to) {
      send = to;
      // One that came while the command was being started.
      if (received !== undefined) to(received);
    },
    stop() {
      for (const signal of forwarded) process.off(signal, hear);
    },
  };
}

/** The result, or undefined when it failed or took too long; nothing is left unhandled. */
async function within<T>(clock: Clock, maxMs: number, work: Promise<T>): Promise<T | undefined> {
  let cancel = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    const timer = clock.after(maxMs, () => resolve(undefined), { background: true });
    cancel = () => timer.cancel();
  });
  try {
    return await Promise.race([work.catch(() => undefined), late]);
  } finally {
    cancel();
  }
}
