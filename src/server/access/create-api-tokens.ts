/**
 * Tokens for programs and people. `knk_<id>_<secret>`: the id is public and finds the row, the secret is 256 random bits
 * of which only the SHA-256 is kept; the two sums are compared in constant time. Nothing is cached: each request reads
 * the row by its key, so a revoked token is refused by every server from the commit on.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { platform } from '#platform';
import type { Random, SqlDatabase } from '../../core/ports.ts';
import { statementName } from '../../sql/statement-name.ts';
import type { Caller, Role } from '../authenticate.ts';
import { addTokenStatement } from './sql/add-token.ts';
import { findTokenStatement } from './sql/find-token.ts';
import { listTokensStatement } from './sql/list-tokens.ts';
import { revokeTokenStatement } from './sql/revoke-token.ts';

export interface ApiTokensOptions {
  /** Its tables must be there: `accessMigrations`. */
  readonly database: SqlDatabase;
  /** @default the platform's chance */
  readonly random?: Random;
}

/** A token as people see it. */
export interface ApiTokenInfo {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly createdAtMs: number;
  readonly createdBy: string;
  /** Null: never. */
  readonly expiresAtMs: number | null;
  /** To the minute. */
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
}

export interface CreateTokenRequest {
  readonly name: string;
  readonly role: Role;
  /** @default never ends */
  readonly lastsMs?: number;
  /** Who makes it; kept. */
  readonly by: string;
}

export interface ApiTokens {
  /** The token itself is told here and never again. */
  create(request: CreateTokenRequest): Promise<{ readonly token: string; readonly info: ApiTokenInfo }>;
  /** Newest first. */
  list(options?: { readonly limit?: number; readonly beforeId?: string }): Promise<readonly ApiTokenInfo[]>;
  /** Undefined: there is none. Revoking again changes nothing. */
  revoke(id: string, act: { readonly by: string; readonly why?: string }): Promise<ApiTokenInfo | undefined>;
  /** Who has this token; undefined: unknown, revoked or over. What does not look like one is not looked up. */
  find(presented: string): Promise<Caller | undefined>;
}

const form = /^knk_([0-9a-f]{12})_[0-9a-f]{64}$/;

export function createApiTokens({ database, random = platform.random }: ApiTokensOptions): ApiTokens {
  const schema = `"${database.schema}"`;
  const text = {
    add: addTokenStatement(schema),
    find: findTokenStatement(schema),
    list: listTokensStatement(schema),
    revoke: revokeTokenStatement(schema),
  };
  const findName = statementName('find_token', text.find);
  return {
    async create({ name, role, lastsMs, by }) {
      const id = random.hex(6);
      const token = `knk_${id}_${random.hex(32)}`;
      const values = [id, sumOf(token).toString('hex'), name, role, lastsMs ?? null, by];
      const { rows } = await database.query<ApiTokenInfo>({ text: text.add, values });
      const [info] = rows;
      if (!info) throw new Error('The database did not answer with the token it stored.');
      return { token, info };
    },
    async list({ limit = 100, beforeId } = {}) {
      return (await database.query<ApiTokenInfo>({ text: text.list, values: [limit, beforeId ?? null] })).rows;
    },
    async revoke(id, { by, why }) {
      const { rows } = await database.query<ApiTokenInfo>({ text: text.revoke, values: [id, by, why ?? null] });
      return rows[0];
    },
    async find(presented) {
      const id = form.exec(presented)?.[1];
      if (id === undefined) return undefined;
      const { rows } = await database.query<Caller & { sha256: string }>({
        text: text.find,
        values: [id],
        name: findName,
      });
      const [row] = rows;
      if (!row || !timingSafeEqual(Buffer.from(row.sha256, 'hex'), sumOf(presented))) return undefined;
      return { name: row.name, role: row.role };
    },
  };
}

function sumOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
