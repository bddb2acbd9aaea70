/** $1 user, $2 title → 0 or 1 row */
export function findFilmStatement(schema: string): string {
  return `
select v.id from ${schema}.videos v where v.user_id = $1::bigint and v.title = $2::text order by v.id limit 1`;
}
