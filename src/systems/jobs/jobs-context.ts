import type { Logger, Platform, SqlDatabase } from '../../core/ports.ts';
import type { DefinitionRegistry } from './definition-registry.ts';
import type { JobLogWriter } from './job-log-writer.ts';
import type { JobSettings } from './job-settings.ts';
import type { NoticeLine } from './notice-line.ts';
import type { RedisPulse } from './redis/redis-pulse.ts';
import type { JobStatements } from './sql/job-statements.ts';

/** What the parts of one `createJobs` share. */
export interface JobsContext {
  readonly database: SqlDatabase;
  readonly statements: JobStatements;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly definitions: DefinitionRegistry;
  readonly notices: NoticeLine;
  /** Where handlers' lines go; undefined: nowhere. */
  readonly logs: JobLogWriter | undefined;
  /** Heartbeats and short leases in Redis; undefined: there is none. */
  readonly pulse: RedisPulse | undefined;
  /** As last read from the database. */
  settings(): JobSettings;
  refreshSettings(): Promise<JobSettings>;
}
