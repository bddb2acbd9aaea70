/**
 * For people who look for ended runs. Each index of the history costs every finish, so there are only these:
 *
 *   unusual   what did not succeed, by state: nearly empty while all is well
 *   job       one job's runs, newest first
 *   worker    one worker's runs, newest first
 *   times     block ranges: a few bytes per 32 pages, since rows are appended in the order in which they end
 */
export function readingIndexes(schema: string): readonly string[] {
  return [
    `create index job_run_history_unusual on ${schema}.job_run_history (state, id) where state <> 'SUCCEEDED'`,
    `create index job_run_history_job on ${schema}.job_run_history (job_definition_id, id)`,
    `create index job_run_history_worker on ${schema}.job_run_history (assigned_worker_id, id)`,
    `create index job_run_history_times on ${schema}.job_run_history using brin (scheduled_for, finished_at)
  with (pages_per_range = 32, autosummarize = on)`,
  ];
}
