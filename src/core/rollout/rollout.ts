/**
 * How far a feature is rolled out. A phase names the share of clients that have it; a client's bucket never changes,
 * so a later phase only adds clients and an earlier one only takes them away again.
 */
import { isPhase, type Phase, phases } from './phase.ts';
import { stableBucket } from './stable-bucket.ts';

export interface RolloutSettings {
  /** Share of clients per phase, 0 to 1, never falling from one phase to the next. */
  readonly shares: Readonly<Record<Phase, number>>;
  /** Readonly rate above which a phase is rolled back, 0 to 1. */
  readonly thresholds: Readonly<Record<Phase, number>>;
  /** Fewer sessions than this prove nothing. At least 1. @default 20 */
  readonly minSessions: number;
  /** What the judgement looks at, in ms: 1 minute to 1 day. @default 900000 (15 minutes) */
  readonly windowMs: number;
  /** Roll back at once, or only say so. @default 'auto' */
  readonly rollback: 'auto' | 'propose';
}

export interface Rollout {
  readonly name: string;
  readonly phase: Phase;
  readonly settings: RolloutSettings;
  /** Raised by every change; a change names the one it was decided on. */
  readonly version: number;
  /** When the phase became the current one, ms since 1970 by the database's clock. */
  readonly phaseSinceMs: number;
}

export const defaultRolloutSettings: RolloutSettings = {
  shares: { 'A-0': 0, 'A-1': 0.05, 'A-2': 0.25, 'B-0': 0.5, 'B-1': 1 },
  thresholds: { 'A-0': 0.05, 'A-1': 0.05, 'A-2': 0.05, 'B-0': 0.05, 'B-1': 0.05 },
  minSessions: 20,
  windowMs: 900_000,
  rollback: 'auto',
};

/** Whether this client has the feature in this phase. */
export function isOn(settings: RolloutSettings, phase: Phase, clientId: string): boolean {
  return stableBucket(clientId) < settings.shares[phase];
}

export interface PhaseSources {
  /** For example KANNUKI_PHASE. */
  readonly environment?: string | undefined;
  /** A person's own choice on this machine or in this browser. */
  readonly local?: string | undefined;
  readonly server?: string | undefined;
  /** @default 'A-0' */
  readonly fallback?: Phase;
}

/** The first source that names a phase wins: environment, local override, server, default. Other text is passed over. */
export function resolvePhase({ environment, local, server, fallback = 'A-0' }: PhaseSources): Phase {
  return [environment, local, server].find(isPhase) ?? fallback;
}

/** What is wrong with settings, as sentences; empty: nothing. */
export function checkRolloutSettings(settings: RolloutSettings): readonly string[] {
  const { shares, thresholds, minSessions, windowMs } = settings;
  const wrong: string[] = [];
  phases.forEach((phase, i) => {
    const before = phases[i - 1];
    if (!isShare(shares[phase])) wrong.push(`shares["${phase}"] must be between 0 and 1.`);
    else if (before && shares[phase] < shares[before])
      wrong.push(`shares["${phase}"] must not be less than shares["${before}"].`);
    if (!isShare(thresholds[phase])) wrong.push(`thresholds["${phase}"] must be between 0 and 1.`);
  });
  if (!Number.isSafeInteger(minSessions) || minSessions < 1) wrong.push('minSessions must be a whole number from 1.');
  if (!(windowMs >= 60_000 && windowMs <= 86_400_000)) wrong.push('windowMs must be between 60000 and 86400000.');
  return wrong;
}

function isShare(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1;
}
