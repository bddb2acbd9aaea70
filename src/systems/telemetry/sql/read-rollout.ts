/** $1 name */
import { rolloutColumns } from './rollout-columns.ts';

export function readRolloutStatement(schema: string): string {
  return `
select ${rolloutColumns} from ${schema}.rollouts r where r.name = $1`;
}
