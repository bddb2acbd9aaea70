/** $1 reservation → 0 or 1 row: whose it is, and of which film */
export function readCustomerStatement(schema: string): string {
  return `
select u.email, u.name, u.locale, v.title
from ${schema}.reservations r
join ${schema}.users u on u.id = r.user_id
join ${schema}.videos v on v.id = r.video_id
where r.id = $1::bigint`;
}
