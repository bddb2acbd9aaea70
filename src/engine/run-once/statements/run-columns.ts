/**
 * The store's clock in µs. `statement_timestamp()` is one value for the whole statement, is not frozen inside a
 * transaction, and is only older than the truth when the statement had to wait for the row, which errs safely.
 */
export const clockUs = `(date_part('epoch', statement_timestamp()) * 1000000)::bigint`;

/** A record as its readers want it. The answer as text: each driver would parse JSON in a way of its own. */
export function runColumns(from: string): string {
  return `${from}.fingerprint, ${from}.state, ${from}.token, ${from}.owner, ${from}.attempt, ${from}.answer::text as answer,
       (date_part('epoch', ${from}.expires_at) * 1000000)::bigint as end_us, ${clockUs} as now_us`;
}
