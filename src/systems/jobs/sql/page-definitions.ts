import { definitionsSelect } from './read-definitions.ts';

/** $1 the last name of the page before or null, $2 limit or null → by name */
export function pageDefinitionsStatement(schema: string): string {
  return `${definitionsSelect(schema)}
where $1::text is null or d.name > $1::text
order by d.name
limit $2::int`;
}
