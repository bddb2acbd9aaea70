/**
 * Stores events of any number of batches in one statement. A batch that was stored before adds nothing.
 *
 * $1 batches[], $2 numbers[], $3 sessions[], $4 phases[], $5 names[], $6 counts[], $7 strategies[], $8 operations[],
 * $9 reasons[], $10 codes[], $11 durations ms[], $12 ages ms[] → how many were new
 */
export function insertEventsStatement(schema: string): string {
  return `
insert into ${schema}.telemetry_events
  (batch, number, session, phase, name, count, strategy, operation, reason, code, duration_ms, occurred_at, received_at)
select e.batch, e.number, e.session, e.phase, e.name, e.count, e.strategy, e.operation, e.reason, e.code, e.duration_ms,
       statement_timestamp() - e.age_ms * interval '1 ms', statement_timestamp()
from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[], $9::text[],
            $10::text[], $11::float8[], $12::float8[])
  e (batch, number, session, phase, name, count, strategy, operation, reason, code, duration_ms, age_ms)
on conflict do nothing`;
}
