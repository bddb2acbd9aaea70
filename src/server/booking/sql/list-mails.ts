/** $1 below this id, $2 limit → the newest first */
export function listMailsStatement(schema: string): string {
  return `
select m.id, m.message_id as "messageId", m.recipient as "to", m.template, m.locale, m.subject, m.body as text, m.copies,
  floor(date_part('epoch', m.at) * 1000)::float8 as "atMs"
from ${schema}.sandbox_mails m
where $1::bigint is null or m.id < $1::bigint
order by m.id desc
limit $2::integer`;
}
