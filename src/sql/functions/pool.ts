/**
 * A pool is a jsonb object { grant id: [token, weight, capacity, end in µs] }. Small pure functions over it; null
 * stands for "no holder".
 */

/** The holders still in force. */
function poolLiveFunction(schema: string): string {
  return `
create function ${schema}.lease_pool_live(holders jsonb, us bigint) returns jsonb language sql immutable as $f$
  select jsonb_object_agg(h.key, h.value) from jsonb_each(holders) h where (h.value->>3)::bigint > us
$f$`;
}

/** Whether a share fits beside the holders: one capacity for all, and the weights within it. */
function fitsFunction(schema: string): string {
  return `
create function ${schema}.lease_fits(holders jsonb, weight bigint, capacity bigint) returns boolean language sql immutable as $f$
  select coalesce(bool_and((h.value->>2)::bigint = capacity) and sum((h.value->>1)::bigint) + weight <= capacity, weight <= capacity)
  from jsonb_each(holders) h
$f$`;
}

/** When the last holder's grant ends: what an exclusive contender has to wait for at most. */
function poolEndFunction(schema: string): string {
  return `
create function ${schema}.lease_pool_end(holders jsonb) returns timestamptz language sql immutable as $f$
  select timestamptz 'epoch' + max((h.value->>3)::bigint) * interval '1 us' from jsonb_each(holders) h
$f$`;
}

export function poolFunctions(schema: string): readonly string[] {
  return [poolLiveFunction(schema), fitsFunction(schema), poolEndFunction(schema)];
}
