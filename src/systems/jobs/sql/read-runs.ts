/** Runs as readers see them, under way or ended. */
const ms = (column: string): string => `floor(extract(epoch from r.${column}) * 1000)::float8`;

export function readRunsStatement(schema: string, where: string): string {
  return `
select r.id, d.name as job, q.name as queue, r.state, r.version, r.attempt,
  (array['enqueue', 'schedule', 'event', 'operator'])[r.trigger + 1] as trigger, r.priority,
  ${ms('scheduled_for')} as scheduled_for_ms, ${ms('due_at')} as due_at_ms, ${ms('created_at')} as created_at_ms,
  ${ms('assigned_at')} as assigned_at_ms, ${ms('started_at')} as started_at_ms, ${ms('finished_at')} as finished_at_ms,
  ${ms('cancel_requested_at')} as cancel_requested_at_ms, r.assigned_worker_id as worker_id, r.leader_epoch, r.start_token,
  r.continuation_state as continuation, ${ms('continuation_check_deadline_at')} as continuation_deadline_at_ms,
  r.concurrency_key, r.idempotency_key, r.retry_of, r.progress, r.payload, r.result, r.reason, r.error
from ${schema}.job_runs_all r
join ${schema}.job_definitions d on d.id = r.job_definition_id
join ${schema}.queues q on q.id = r.queue_id
${where}`;
}
