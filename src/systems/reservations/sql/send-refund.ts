/**
 * Said before the provider is called: from now on it may have acted under this key.
 *
 * $1 refund, $2 generation, $3 amount → 0 rows: somebody else went on
 */
export function sendRefundStatement(schema: string): string {
  return `
update ${schema}.refunds set amount = $3::integer, sent_at = coalesce(sent_at, ${schema}.reservations_now())
where id = $1::bigint and generation = $2::integer and state = 'wanted'
returning id`;
}
