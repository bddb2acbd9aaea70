import type { ProjectLock } from '../../../src/browser/project-lock/index.ts';
import { publishLockTelemetry } from '../../../src/browser/telemetry/index.ts';
import { askRolloutFlag, type RolloutFlag } from './rollout-flag.ts';

/** How often a page asks which phase it is in. */
const askEveryMs = 60_000;

/** Tells the collector how this tab's lock fares, under the phase the server names at the time. */
export function startTelemetry(lock: ProjectLock, flag: RolloutFlag): void {
  const publisher = publishLockTelemetry({ subscribe: lock.subscribeLockEvents, phase: flag.phase });
  setInterval(() => {
    if (document.visibilityState === 'visible') void askRolloutFlag().then(({ phase }) => publisher.setPhase(phase));
  }, askEveryMs);
}
