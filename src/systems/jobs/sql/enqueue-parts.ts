/** What the enqueuing statements share: how a run is read, and what its definition says about it. */
export const enqueueParts = {
  /** `r` is a run with its options, `d` its definition: an enqueuer with old code does not overrule an operator. */
  columns: `coalesce(r.pr, d.priority) as priority, coalesce(r.s, now()) as at,
    (case when d.rate_limit is not null then 2 when r.c is not null or d.concurrency <> 'allow' then 1 else 0 end)::smallint as gate,
    case when r.c is not null then 'k:' || r.c when d.concurrency <> 'allow' then 'd:' || d.id end as key,
    case when d.rate_limit is not null then d.id || ':' || coalesce(r.r, '') end as rate_key`,

  /**
   * Columns side by side, numbered; one that is null gives nulls.
   *
   * $1 JSON array of payloads, and arrays of $2 definitions, $3 priorities, $4 times, $5 concurrency keys, $6 rate keys
   * and, where there are any, `keys`
   */
  zipped(keys?: string): string {
    const rest = keys ? `, unnest(${keys}::text::text[])` : '';
    return `rows from (json_array_elements($1::json), unnest($2::text::int[]), unnest($3::text::smallint[]),
    unnest($4::text::timestamptz[]), unnest($5::text::text[]), unnest($6::text::text[])${rest}) with ordinality as r(p, d, pr, s, c, r${keys ? ', k' : ''}, n)`;
  },
};
