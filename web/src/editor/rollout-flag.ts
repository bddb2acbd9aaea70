/**
 * Which phase of the rollout this browser is in, and whether AutoSave is on here. Order: a choice made in this browser,
 * the server, what the server said last, the first phase. Never rejects: the editor opens without a server, too.
 */
import { isPhase, type Phase } from '../../../src/core/rollout/phase.ts';
import { resolvePhase } from '../../../src/core/rollout/rollout.ts';
import type { ClientFlagsReply } from '../../../src/server/index.ts';

export interface RolloutFlag {
  readonly phase: Phase;
  readonly autosave: boolean;
  /** Somebody chose it in this browser. */
  readonly isLocal: boolean;
}

const clientName = 'kannuki-client';
const lastName = 'kannuki-flags';
const overrideName = 'kannuki-phase';
/** A page waits no longer for the server than this. */
const patienceMs = 1_500;

export async function askRolloutFlag(): Promise<RolloutFlag> {
  const server = await askServer();
  if (server) write(lastName, JSON.stringify(server));
  const known = server ?? lastAnswer();
  const local = read(overrideName) ?? undefined;
  const phase = resolvePhase({ local, server: known?.phase });
  const isLocal = isPhase(local);
  // The last phase is everybody's; a local choice of an earlier one switches it off.
  return { phase, autosave: isLocal ? phase === 'B-1' : (known?.autosave ?? false), isLocal };
}

/** AutoSave on or off in this browser, whatever the server says; undefined: as the server says. */
export function chooseRolloutFlag(on: boolean | undefined): void {
  write(overrideName, on === undefined ? null : on ? 'B-1' : 'A-0');
}

async function askServer(): Promise<ClientFlagsReply | undefined> {
  try {
    const response = await fetch(`/api/v1/flags/client?client=${encodeURIComponent(clientId())}`, {
      signal: AbortSignal.timeout(patienceMs),
    });
    return response.ok ? readFlags(await response.json()) : undefined;
  } catch {
    return undefined;
  }
}

function lastAnswer(): ClientFlagsReply | undefined {
  try {
    return readFlags(JSON.parse(read(lastName) ?? 'null'));
  } catch {
    return undefined;
  }
}

function readFlags(value: unknown): ClientFlagsReply | undefined {
  const { phase, autosave } = Object(value) as Partial<ClientFlagsReply>;
  return isPhase(phase) ? { phase, autosave: autosave === true } : undefined;
}

/** Chance, kept for good: the same browser is in or out of a phase every time. */
function clientId(): string {
  const known = read(clientName);
  if (known) return known;
  const made = crypto.randomUUID();
  write(clientName, made);
  return made;
}

function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function write(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
