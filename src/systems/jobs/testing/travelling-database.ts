/**
 * A database whose `now()` can be moved forwards, for the statements that go through it. Tests of an application then
 * need not wait for a delay, a backoff or a schedule: the server's own clock judges, only later.
 */
import type { SqlDatabase, SqlExecutor, SqlStatement } from '../../../core/ports.ts';

export interface TravellingDatabase extends SqlDatabase {
  /** Everything after this happens so much later. */
  advance(ms: number): void;
}

export function travellingDatabase(database: SqlDatabase): TravellingDatabase {
  let aheadMs = 0;
  const shift = (statement: SqlStatement): SqlStatement => {
    if (aheadMs === 0 || !statement.text.includes('now()')) return statement;
    const { text, values = [] } = statement;
    // Without its name: another text must not meet the plan of the first one.
    return { text: text.replaceAll(/\bnow\(\)/g, `(now() + interval '${aheadMs} ms')`), values };
  };
  const through = (on: SqlExecutor): SqlExecutor => ({ query: (statement) => on.query(shift(statement)) });
  return {
    schema: database.schema,
    capabilities: database.capabilities,
    ...through(database),
    transaction: (work) => database.transaction((tx) => work(through(tx))),
    session: (work) => database.session((connection) => work(through(connection))),
    listen: (channel, onNotify) => database.listen(channel, onNotify),
    close: () => database.close(),
    advance(ms) {
      aheadMs += Math.max(0, Math.floor(ms));
    },
  };
}
