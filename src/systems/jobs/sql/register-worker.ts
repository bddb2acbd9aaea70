/**
 * A worker for one process start; its id is never used again.
 *
 * $1 name, $2 queues, $3 definitions with a handler, $4 capacity, $5 leads too → id
 */
export function registerWorkerStatement(schema: string): string {
  return `
insert into ${schema}.workers (name, queue_ids, definition_ids, capacity, leads)
values ($1::text, $2::text::smallint[], $3::text::int[], $4::int, $5::boolean)
returning id`;
}
