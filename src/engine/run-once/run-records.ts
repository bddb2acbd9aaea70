/** The records of run-once in the database: each method is one statement, and names the claim it uses. */
import type { Claim, IdempotencyRecord } from '../../core/idempotency.ts';
import type { SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import type { AnswerText } from './answer-text.ts';
import { claimRunStatement } from './statements/claim-run.ts';
import { completeRunStatement } from './statements/complete-run.ts';
import { endClaimStatement } from './statements/end-claim.ts';
import { pruneRunsStatement } from './statements/prune-runs.ts';
import { readRunStatement } from './statements/read-run.ts';
import { renewClaimStatement } from './statements/renew-claim.ts';

export interface RunKey {
  readonly scope: string;
  readonly key: string;
}

export type RunClaim = RunKey & Claim;

export interface RunRecord extends IdempotencyRecord {
  readonly attempt: number;
  readonly answer: AnswerText;
  /** The store's clock when this was read. */
  readonly nowUs: number;
}

export interface RunRecords {
  /** Undefined record: lost a race; ask again. */
  claim(
    request: RunKey & { readonly fingerprint: string; readonly owner: string; readonly ttlMs: number },
  ): Promise<{ readonly claimed: boolean; readonly record: RunRecord | undefined }>;
  /** False: the claim is over. */
  renew(claim: RunClaim, ttlMs: number): Promise<boolean>;
  /** False: refused, another has taken over. */
  complete(on: SqlExecutor, claim: RunClaim, state: 'done' | 'failed', answer: AnswerText): Promise<boolean>;
  end(claim: RunClaim): Promise<void>;
  read(key: RunKey): Promise<RunRecord | undefined>;
  /** How many were forgotten. */
  prune(retentionMs: number, limit: number): Promise<number>;
}

interface RunRow {
  readonly fingerprint: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly token: number;
  readonly owner: string;
  readonly attempt: number;
  readonly answer: AnswerText;
  readonly end_us: number;
  readonly now_us: number;
}

export function runRecords(database: SqlDatabase): RunRecords {
  // The database has checked the name.
  const schema = `"${database.schema}"`;
  const text = {
    claim: claimRunStatement(schema),
    complete: completeRunStatement(schema),
    end: endClaimStatement(schema),
    prune: pruneRunsStatement(schema),
    read: readRunStatement(schema),
    renew: renewClaimStatement(schema),
  };
  const right = ({ scope, key, token, owner }: RunClaim): readonly unknown[] => [scope, key, token, owner];

  return {
    async claim({ scope, key, fingerprint, owner, ttlMs }) {
      const values = [scope, key, fingerprint, owner, ttlMs];
      const [row] = (await database.query<RunRow & { claimed: boolean }>({ text: text.claim, values })).rows;
      return { claimed: row?.claimed ?? false, record: row && toRecord(row) };
    },
    async renew(claim, ttlMs) {
      return (await database.query({ text: text.renew, values: [...right(claim), ttlMs] })).rows.length > 0;
    },
    async complete(on, claim, state, answer) {
      return (await on.query({ text: text.complete, values: [...right(claim), state, answer] })).rows.length > 0;
    },
    async end(claim) {
      await database.query({ text: text.end, values: right(claim) });
    },
    async read({ scope, key }) {
      const [row] = (await database.query<RunRow>({ text: text.read, values: [scope, key] })).rows;
      return row && toRecord(row);
    },
    async prune(retentionMs, limit) {
      return (await database.query({ text: text.prune, values: [retentionMs, limit] })).rows.length;
    },
  };
}

function toRecord({ end_us, now_us, ...row }: RunRow): RunRecord {
  return {
    fingerprint: row.fingerprint,
    state: row.state,
    token: row.token,
    owner: row.owner,
    attempt: row.attempt,
    answer: row.answer,
    endUs: end_us,
    nowUs: now_us,
  };
}
