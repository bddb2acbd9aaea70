import type { StoredDefinition } from './job-definition.ts';
import { hideTargetSecrets } from './targets/hide-target-secrets.ts';
import type { JobTarget } from './targets/job-target.ts';

/** A definition as the audit keeps it: what can be set, without what headers and environments hold. */
export function auditedDefinition(
  row: StoredDefinition & { readonly queue: string; readonly target: JobTarget | null },
): object {
  const { queue, target, timeout_seconds, max_retries, concurrency, priority, rate_limit, event, schedule } = row;
  return {
    queue,
    timeout_seconds,
    max_retries,
    concurrency,
    priority,
    rate_limit,
    event,
    schedule,
    catch_up: row.catch_up,
    skip_late_after_seconds: row.skip_late_after_seconds,
    target: target && hideTargetSecrets(target),
  };
}
