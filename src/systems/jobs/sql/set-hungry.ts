/**
 * "Wake me": said when a claim came back empty, before the last claim that precedes sleep, so that an enqueue that
 * did not see it is found by that claim. Unsaid with the first block.
 *
 * $1 worker, $2 hungry
 */
export function setHungryStatement(schema: string): string {
  return `
update ${schema}.workers set hungry = $2::boolean
where id = $1::bigint and hungry is distinct from $2::boolean and state = 'ACTIVE' returning id`;
}
