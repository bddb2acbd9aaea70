/** $1 below this id, $2 limit → the newest first; with what it is about, while that is known */
export function listMailsStatement(schema: string): string {
  return `
select m.id, m.message_id as "messageId", m.recipient as "to", m.template, m.locale, m.subject, m.body as text, m.copies,
  floor(date_part('epoch', m.at) * 1000)::float8 as "atMs", n.id as "notificationId", n.reservation_id as "reservationId"
from ${schema}.sandbox_mails m
left join ${schema}.notifications n on n.message_id = m.message_id
where $1::bigint is null or m.id < $1::bigint
order by m.id desc
limit $2::integer`;
}
