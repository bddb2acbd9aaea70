/**
 * A process that can die at any statement. While a death is planned, statements are counted down; the last one fails,
 * before or after it took effect, and from then on everything fails until `revive`. A transaction that dies before its
 * commit is rolled back by the real database; one that dies after it has happened, though nobody was told.
 */
import type { SqlDatabase, SqlExecutor } from '../../src/core/ports.ts';

export class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
}

export interface CrashPlan {
  /** Dies at the n-th statement, commit or provider call from now. */
  dieAt(n: number, when: 'before' | 'after'): void;
  revive(): void;
  isDead(): boolean;
  /** Counts one more step; throws if it is the last. */
  step(when: 'before' | 'after'): void;
}

export function crashPlan(): CrashPlan {
  let left = Number.POSITIVE_INFINITY;
  let when: 'before' | 'after' = 'before';
  let dead = false;
  return {
    dieAt(n, at) {
      left = n;
      when = at;
    },
    revive() {
      left = Number.POSITIVE_INFINITY;
      dead = false;
    },
    isDead: () => dead,
    step(at) {
      if (dead) throw new ProcessDied('the process is dead');
      if (at === 'before') left--;
      if (left > 0 || at !== when) return;
      dead = true;
      throw new ProcessDied(`died ${at} a step`);
    },
  };
}

export function crashingDatabase(database: SqlDatabase, plan: CrashPlan): SqlDatabase {
  const wrap = (executor: SqlExecutor): SqlExecutor => ({
    async query(statement) {
      plan.step('before');
      const result = await executor.query<never>(statement);
      plan.step('after');
      return result;
    },
  });
  return {
    ...database,
    ...wrap(database),
    async transaction(work) {
      const result = await database.transaction(async (tx) => {
        const value = await work(wrap(tx));
        plan.step('before');
        return value;
      });
      plan.step('after');
      return result;
    },
    session: (work) => database.session((connection) => work(wrap(connection))),
  };
}
