/** $1 session ids as JSON → those of which we have no row */
export function listUnknownSessionsStatement(schema: string): string {
  return `
select s.id
from jsonb_array_elements_text($1::text::jsonb) as s (id)
where not exists (select from ${schema}.payments p where p.session_id = s.id)`;
}
