/** What the claiming statement answers, as runs. */
import type { ClaimedRun } from './claimed-run.ts';

/** Columns in the same order; arrays are texts in the database's notation. All null: nothing was there. */
export interface ClaimRow {
  readonly ids: string | null;
  readonly tokens: string | null;
  readonly definitions: string | null;
  readonly payloads: readonly unknown[] | null;
  /** Of the payloads, as they are stored. */
  readonly bytes: number | null;
  readonly epoch: number | null;
  readonly odd_ids: string | null;
  readonly odd_versions: string | null;
  readonly odd_attempts: string | null;
  readonly odd_priorities: string | null;
  readonly odd_due_ms: readonly (number | null)[] | null;
  /** Where the next block begins. */
  readonly at_priority: number | null;
  readonly at_seconds: number | null;
  readonly at_id: number | null;
}

/** A first attempt that a worker took itself: enqueued with 1, assigned and started in one statement. */
const ordinary = { version: 3, attempt: 1, priority: 0, due_ms: null };

export function readClaim(row: ClaimRow | undefined): readonly ClaimedRun[] {
  if (!row || row.ids === null) return [];
  const ids = numbers(row.ids);
  const tokens = numbers(row.tokens);
  const definitions = numbers(row.definitions);
  const odd = readOdd(row);
  return ids.map((id, i) => {
    const { version, attempt, priority, due_ms } = odd?.get(id) ?? ordinary;
    return {
      id,
      version,
      attempt,
      job_definition_id: definitions[i] ?? 0,
      leader_epoch: row.epoch ?? 0,
      start_token: tokens[i] ?? 0,
      payload: row.payloads?.[i],
      priority,
      due_ms,
    };
  });
}

type Odd = Pick<ClaimedRun, 'version' | 'attempt' | 'priority' | 'due_ms'>;

function readOdd(row: ClaimRow): ReadonlyMap<number, Odd> | undefined {
  if (row.odd_ids === null) return undefined;
  const versions = numbers(row.odd_versions);
  const attempts = numbers(row.odd_attempts);
  const priorities = numbers(row.odd_priorities);
  return new Map(
    numbers(row.odd_ids).map((id, i) => [
      id,
      {
        version: versions[i] ?? 0,
        attempt: attempts[i] ?? 0,
        priority: priorities[i] ?? 0,
        due_ms: row.odd_due_ms?.[i] ?? null,
      },
    ]),
  );
}

/** `{1,2,3}`, which JSON reads when its brackets are changed. */
function numbers(text: string | null): readonly number[] {
  return text === null ? [] : (JSON.parse(`[${text.slice(1, -1)}]`) as number[]);
}
