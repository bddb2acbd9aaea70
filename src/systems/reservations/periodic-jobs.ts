import type { Acting } from './actor.ts';
import type { PeriodicJob, Reservations } from './reservations.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** What must happen by itself. A clock that misses a turn only makes it later: nothing is remembered in the clock. */
export function periodicJobs(r: Omit<Reservations, 'periodic'>, acting: Acting): readonly PeriodicJob[] {
  return [
    { name: 'reservations.work-events', everyMs: 2 * second, run: () => r.workEvents() },
    { name: 'reservations.expire-holds', everyMs: minute, run: () => r.expireHolds(acting) },
    { name: 'reservations.begin-slots', everyMs: minute, run: () => r.beginSlots(acting) },
    { name: 'reservations.check-alerts', everyMs: minute, run: () => r.checkAlerts(acting) },
    { name: 'reservations.reconcile', everyMs: 5 * minute, run: () => r.reconcile(acting) },
    { name: 'reservations.check-failed-renders', everyMs: hour, run: () => r.checkFailedRenders(acting) },
    { name: 'reservations.forget-old', everyMs: 24 * hour, run: () => r.forgetOld(acting) },
  ];
}
