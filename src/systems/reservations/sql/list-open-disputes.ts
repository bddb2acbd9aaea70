/** $1 limit → payments whose dispute had not ended when we last heard of it */
export function listOpenDisputesStatement(schema: string): string {
  return `
select p.payment_intent_id as "paymentIntentId"
from ${schema}.payments p
where p.dispute_state = 'open' and p.payment_intent_id is not null
order by p.id
limit $1::integer`;
}
