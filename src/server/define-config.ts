import type { AnalysisWorkerOptions } from '../systems/analysis/index.ts';
import type { JobDefinition } from '../systems/jobs/index.ts';
import type { BookingConfig } from './booking/booking-config.ts';

/** What `kannuki.config.js` exports: the handlers that `kannuki serve` and `kannuki worker` run. */
export interface KannukiConfig {
  // biome-ignore lint/suspicious/noExplicitAny: payload types differ from job to job; each definition has checked its own.
  readonly jobs?: readonly JobDefinition<any, any>[];
  /** Further names whose values in payloads pages and answers do not show: `['plateNumber']`. */
  readonly hidden?: readonly string[];
  /** Analyses in the table `analyses` of the server's database; tasks come by `POST /internal/tasks/analysis` or as jobs. */
  readonly analysis?: Pick<AnalysisWorkerOptions, 'analyze' | 'ttlSec' | 'heartbeatSec'> & {
    /** What a queue hears while somebody else is at it. @default 'retry' */
    readonly onLocked?: 'retry' | 'skip';
  };
  /** Bookings: the calendar, the price, and what is special here. False: none. @default the practice site */
  readonly reservations?: BookingConfig | false;
}

/** Returns its argument; it is there for the types. */
export function defineConfig(config: KannukiConfig): KannukiConfig {
  return config;
}
