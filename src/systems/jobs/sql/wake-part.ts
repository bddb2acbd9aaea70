/**
 * Who is told of new runs, as an expression: idle workers of ungated runs, the leader of gated ones. `rows` gives
 * queue_id, gate, priority, at. A notifying commit waits for every other one, so nobody is told without need.
 */
export function wakePart(schema: string, channel: string, rows: string): string {
  return `(select count(pg_notify('${channel}', x.note)) from (
    select case when q.gate = 0 then concat_ws('|', 'run', q.queue_id, q.priority, extract(epoch from q.at)) else 'lead' end as note
    from (select queue_id, gate, min(priority) as priority, min(at) as at from (${rows}) as r
          where at <= now() group by 1, 2) q
    where q.gate <> 0
       or exists (select from ${schema}.workers w where w.hungry and w.state = 'ACTIVE' and q.queue_id = any(w.queue_ids))
  ) x)`;
}

/** The leader is told when a run of a key has ended and another of that key waits; `from` has the ended rows as `d`. */
export function nextOfKeyPart(schema: string, channel: string, from: string): string {
  return `(select count(pg_notify('${channel}', 'lead')) where exists (
    select from ${from} where d.concurrency_key is not null and exists (
      select from ${schema}.job_runs r where r.concurrency_key = d.concurrency_key
        and r.state in ('PENDING', 'ORPHANED') and r.gate = 1 and r.scheduled_for <= now())))`;
}
