/** One-time links and the sessions they start. A code works once, on any server of the database. */
import { createHash } from 'node:crypto';
import { platform } from '#platform';
import type { Clock, Random, SqlDatabase } from '../../core/ports.ts';
import type { Caller, Role } from '../authenticate.ts';
import { ensureSecret } from './ensure-secret.ts';
import { readSession, signSession } from './session-cookie.ts';
import { addCodeStatement } from './sql/add-code.ts';
import { redeemCodeStatement } from './sql/redeem-code.ts';

export interface SignInOptions {
  readonly database: SqlDatabase;
  /** How long a link can be used. @default 900000 (15 minutes) */
  readonly codeMs?: number;
  /** How long a session lasts. @default 43200000 (12 hours) */
  readonly sessionMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface StartedSession extends Caller {
  readonly cookie: string;
  readonly lastsMs: number;
}

export interface SignIn {
  /** A new one-time code, to be put in a link for one person. `by` is kept in the audit. @default by: 'kannuki' */
  createCode(name: string, role: Role, by?: string): Promise<string>;
  /** Undefined: the code is unknown, used or over. */
  redeemCode(code: string): Promise<StartedSession | undefined>;
  /** Who the cookie says it is. */
  callerOf(request: Request): Caller | undefined;
}

/** The tables must be there: `signInMigrations`. */
export async function createSignIn(options: SignInOptions): Promise<SignIn> {
  const { database, codeMs = 900_000, sessionMs = 43_200_000 } = options;
  const { clock = platform.clock, random = platform.random } = options;
  const schema = `"${database.schema}"`;
  const secret = await ensureSecret(database, random, 'session');
  const add = addCodeStatement(schema);
  const redeem = redeemCodeStatement(schema);
  return {
    async createCode(name, role, by = 'kannuki') {
      const code = random.hex(32);
      await database.query({ text: add, values: [sha256(code), name, role, codeMs, by] });
      return code;
    },
    async redeemCode(code) {
      const { rows } = await database.query<Caller>({ text: redeem, values: [sha256(code)] });
      const [caller] = rows;
      if (!caller) return undefined;
      const cookie = signSession({ ...caller, endsMs: clock.wallMs() + sessionMs }, secret);
      return { ...caller, cookie, lastsMs: sessionMs };
    },
    callerOf: (request) => readSession(request.headers.get('cookie'), secret, clock.wallMs()),
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
