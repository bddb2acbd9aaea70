/** A run that was started for this worker, as the claiming statement tells it. */
export interface ClaimedRun {
  readonly id: number;
  readonly version: number;
  readonly attempt: number;
  readonly job_definition_id: number;
  readonly leader_epoch: number;
  readonly start_token: number;
  readonly payload: unknown;
  readonly priority: number;
  readonly due_ms: number | null;
}
