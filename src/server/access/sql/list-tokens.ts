/** $1 limit, $2 id of the last one of the page before or null → newest first */
import { tokenColumns } from './token-columns.ts';

export function listTokensStatement(schema: string): string {
  return `
select ${tokenColumns} from ${schema}.api_tokens t
where $2::text is null
  or (t.created_at, t.id) < (select b.created_at, b.id from ${schema}.api_tokens b where b.id = $2::text)
order by t.created_at desc, t.id desc
limit $1::int`;
}
