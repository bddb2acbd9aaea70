/**
 * The store's clock in µs, as SQL. `statement_timestamp()` is one value for the whole statement
 * (`clock_timestamp()` differs between two CASE arms of one row), is not frozen inside a transaction as `now()` is,
 * and is only ever older than the truth when the statement had to wait for the row, which errs on the safe side.
 * `date_part` is a double: seconds of this century are exact to a quarter of a µs, so the rounded product is exact,
 * and it is cheaper than `extract`, which computes in numeric.
 */
export const clockUs = `(date_part('epoch', statement_timestamp()) * 1000000)::bigint`;
