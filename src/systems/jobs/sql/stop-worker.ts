/**
 * The worker is done. What it was given and has not started is found by the leader; it runs nothing any more.
 *
 * $1 worker
 */
export function stopWorkerStatement(schema: string, channel: string): string {
  return `
with w as (
  update ${schema}.workers set state = 'STOPPED', hungry = false, load = 0 where id = $1::bigint and state <> 'STOPPED' returning id
)
select id, pg_notify('${channel}', 'lead') as told from w
where exists (select from ${schema}.job_runs r where r.assigned_worker_id = w.id and r.state in ('ASSIGNED', 'RUNNING'))`;
}
