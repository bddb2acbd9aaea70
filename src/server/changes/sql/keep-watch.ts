/**
 * Begins or prolongs the watch. One that has lapsed begins anew, under the incarnation that the caller brings.
 *
 * $1 a new incarnation, $2 how long in ms, $3 how much longer triggers write, in ms → incarnation
 */
export function keepWatchStatement(schema: string): string {
  const until = (value: string): string => `clock_timestamp() + ${value} * interval '1 ms'`;
  const lives = 'w.watched_until > clock_timestamp()';
  return `
insert into ${schema}.change_watch as w (incarnation, watched_until, records_until, pruned)
values ($1::text, ${until('$2::float8')}, ${until('($2::float8 + $3::float8)')}, pg_current_snapshot())
on conflict (id) do update set
  incarnation = case when ${lives} then w.incarnation else excluded.incarnation end,
  settles_at = case when ${lives} then w.settles_at end,
  pruned = case when ${lives} then w.pruned else excluded.pruned end,
  watched_until = excluded.watched_until,
  records_until = excluded.records_until
returning incarnation`;
}
