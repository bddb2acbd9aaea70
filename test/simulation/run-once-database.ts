/**
 * The table of run-once in memory, on a simulated server: the real engine sends its real statements, and they are told
 * apart by their text. What is decided comes from the core's decisions. A transaction holds the row until it is over,
 * as PostgreSQL does; the effects written in it are there if and only if it commits.
 */
import { LeaseError } from '../../src/core/errors.ts';
import { decideCompletion, decideIdempotency, type IdempotencyRecord } from '../../src/core/idempotency.ts';
import type { SqlDatabase, SqlExecutor, SqlStatement } from '../../src/core/ports.ts';
import { claimRunStatement } from '../../src/engine/run-once/statements/claim-run.ts';
import { completeRunStatement } from '../../src/engine/run-once/statements/complete-run.ts';
import { endClaimStatement } from '../../src/engine/run-once/statements/end-claim.ts';
import { readRunStatement } from '../../src/engine/run-once/statements/read-run.ts';
import { renewClaimStatement } from '../../src/engine/run-once/statements/renew-claim.ts';
import { callServer, type SimulatedServer } from './simulated-network.ts';
import type { SimulatedProcess, VirtualWorld } from './virtual-world.ts';

/** What a planted bug replaces. */
export interface RunOnceRules {
  readonly decideIdempotency: typeof decideIdempotency;
  readonly decideCompletion: typeof decideCompletion;
  /** What a failure leaves behind. */
  readonly keepFailure: boolean;
  /** A refused completion says so. */
  readonly refuseCompletion: boolean;
}

export const runOnceRules: RunOnceRules = {
  decideIdempotency,
  decideCompletion,
  keepFailure: true,
  refuseCompletion: true,
};

type Row = IdempotencyRecord & { readonly attempt: number; readonly answer: unknown };

export interface RunOnceServer {
  /** How often the effect of the one key has happened. */
  effects: number;
  readonly answers: Set<string>;
  /** A connection for one process. */
  connect(process: SimulatedProcess): SqlDatabase;
}

export function createRunOnceServer(
  world: VirtualWorld,
  server: SimulatedServer,
  nowUs: () => number,
  rules: RunOnceRules,
): RunOnceServer {
  const rows = new Map<string, Row>();
  const texts = new Map<string, string>(
    Object.entries({
      claim: claimRunStatement('"kannuki"'),
      complete: completeRunStatement('"kannuki"'),
      end: endClaimStatement('"kannuki"'),
      read: readRunStatement('"kannuki"'),
      renew: renewClaimStatement('"kannuki"'),
    }).map(([name, text]) => [text, name]),
  );

  /** One statement, executed at one moment. */
  function execute({ text, values = [] }: SqlStatement): readonly object[] {
    const [, key, ...rest] = values as [string, string, ...never[]];
    const row = rows.get(key);
    const now = nowUs();
    const shown = (record: Row): object => ({ ...record, end_us: record.endUs, now_us: now });
    const standsFor = (token: number, owner: string): boolean =>
      row !== undefined && row.state === 'running' && row.token === token && row.owner === owner;
    switch (texts.get(text)) {
      case 'claim': {
        const [fingerprint, owner, ttlMs] = rest as unknown as [string, string, number];
        const decision = rules.decideIdempotency(row, { fingerprint, owner }, now);
        if (decision.kind !== 'fresh' && decision.kind !== 'take-over')
          return row ? [{ claimed: false, ...shown(row) }] : [];
        const attempt = row && row.owner !== owner ? row.attempt + 1 : (row?.attempt ?? 1);
        const endUs = Math.max(row?.endUs ?? 0, now + ttlMs * 1000);
        const claimed: Row = {
          fingerprint,
          state: 'running',
          token: decision.token,
          owner,
          endUs,
          attempt,
          answer: null,
        };
        rows.set(key, claimed);
        return [{ claimed: true, ...shown(claimed) }];
      }
      case 'complete': {
        const [token, owner, state, answer] = rest as unknown as [number, string, 'done' | 'failed', string];
        const claim = { fingerprint: row?.fingerprint ?? '', token, owner };
        if (rules.decideCompletion(row, claim, now).kind !== 'complete')
          return rules.refuseCompletion ? [] : [{ token }];
        if (state === 'failed' && !rules.keepFailure) rows.delete(key);
        else if (row) rows.set(key, { ...row, state, answer });
        return [{ token }];
      }
      case 'end': {
        const [token, owner] = rest as unknown as [number, string];
        if (row && standsFor(token, owner)) rows.set(key, { ...row, owner: '', endUs: Math.min(row.endUs, now) });
        return [];
      }
      case 'read':
        return row ? [shown(row)] : [];
      case 'renew': {
        const [token, owner, ttlMs] = rest as unknown as [number, string, number];
        if (!row || !standsFor(token, owner) || row.endUs <= now) return [];
        rows.set(key, { ...row, endUs: Math.max(row.endUs, now + ttlMs * 1000) });
        return [{ token }];
      }
    }
    throw new LeaseError(`The simulated database does not know: ${text}`, { code: 'store-refused' });
  }

  const self: RunOnceServer = {
    effects: 0,
    answers: new Set(),
    connect(process) {
      const call = <T>(run: () => T): Promise<T> => callServer(world, server, process, async () => run());
      const result = <R>(found: readonly object[]) => ({ rows: found as readonly R[], rowCount: found.length });
      return {
        schema: 'kannuki',
        capabilities: { concurrent: true, fsync: true, listen: false },
        query: async <R>(statement: SqlStatement) => result<R>(await call(() => execute(statement))),
        session: (work) => work({ query: async (statement) => result(await call(() => execute(statement))) }),
        async transaction<T>(work: (tx: SqlExecutor) => Promise<T>): Promise<T> {
          let effects = 0;
          let completion: SqlStatement | undefined;
          const tx: SqlExecutor = {
            async query<R>(statement: SqlStatement) {
              if (statement.text === 'effect') {
                effects += 1;
                return result<R>([]);
              }
              // Whether it will be refused is known when its turn comes: the row is locked until the commit.
              completion = statement;
              return result<R>([{}]);
            },
          };
          const value = await work(tx);
          const committed = await call(() => {
            if (completion && execute(completion).length === 0) return false;
            self.effects += effects;
            return true;
          }).catch((error: unknown) => {
            throw error;
          });
          if (!committed) throw new RefusedAtCommit();
          return value;
        },
        listen: () => Promise.reject(new LeaseError('no notices', { code: 'unsupported' })),
        close: () => Promise.resolve(),
      };
    },
  };
  return self;
}

/** The one place where this table differs from PostgreSQL: a refusal is told at the commit, not before it. */
class RefusedAtCommit extends LeaseError {
  constructor() {
    super('The completion was refused; the transaction is rolled back.', {
      code: 'store-unavailable',
      retryable: true,
    });
  }
}
