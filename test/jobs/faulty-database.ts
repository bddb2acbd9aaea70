/** A database whose answers can be lost on demand: refused before they are sent, or executed and never told. */
import { LeaseError } from '../../src/core/errors.ts';
import type { SqlDatabase, SqlResult, SqlStatement } from '../../src/core/ports.ts';

export type Fault = 'cut' | 'lost-reply' | undefined;

export interface FaultyDatabase extends SqlDatabase {
  /** Asked for every statement outside transactions, by its verb (`claim`, `finish`, …). */
  fault: (verb: string) => Fault;
  /** How often each statement was sent. */
  readonly sent: ReadonlyMap<string, number>;
}

export function faultyDatabase(database: SqlDatabase): FaultyDatabase {
  const sent = new Map<string, number>();
  const faulty: FaultyDatabase = {
    ...database,
    sent,
    fault: () => undefined,
    async query<Row>(statement: SqlStatement): Promise<SqlResult<Row>> {
      const verb = /^kannuki_jobs_(\w+)_[0-9a-f]{16}$/.exec(statement.name ?? '')?.[1] ?? '';
      const fault = faulty.fault(verb);
      if (fault === 'cut') throw unavailable();
      sent.set(verb, (sent.get(verb) ?? 0) + 1);
      const result = await database.query<Row>(statement);
      if (fault === 'lost-reply') throw unavailable();
      return result;
    },
  };
  return faulty;
}

function unavailable(): LeaseError {
  return new LeaseError('The connection was cut by the test.', { code: 'store-unavailable', retryable: true });
}
