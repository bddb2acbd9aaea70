/**
 * What a server's SQLSTATE means to a caller. Only what the caller can act upon is translated; anything else (a
 * constraint, a mistake in a statement) goes on unchanged, because the statement's author knows what it means.
 */
import { LeaseError } from '../core/errors.ts';

export interface SqlErrorContext {
  /** Plain schema name. */
  readonly schema: string;
  /** The server in words: "PostgreSQL at 127.0.0.1:5432/app". */
  readonly where: string;
}

/** The SQLSTATE of a driver's error, if it has one. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  const { code } = error;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** The same error, or a LeaseError that says what to do. */
export function explainSqlError(error: unknown, { schema, where }: SqlErrorContext): unknown {
  const state = sqlState(error);
  if (state === undefined) return error;
  const said = messageOf(error);
  const refused = (advice: string): LeaseError =>
    new LeaseError(`${where} refused (${said}): ${advice}`, { code: 'store-refused', cause: error });
  const unavailable = (advice: string): LeaseError =>
    new LeaseError(`${where} is not available (${said}): ${advice}`, {
      code: 'store-unavailable',
      retryable: true,
      cause: error,
    });
  switch (state) {
    case '28P01':
    case '28000':
      return refused('check the user and the password of the connection.');
    case '3D000':
      return refused('create the database, or correct its name in the connection.');
    case '42501':
      return refused(`grant the user the rights it needs on schema "${schema}".`);
    case '25006':
      return unavailable('it only accepts reads; connect to the primary server.');
    case '40001':
    case '40P01':
      return unavailable('the statement met another one; nothing was changed, try again.');
    case '57014':
      return unavailable('the statement was cancelled; nothing was changed, try again.');
  }
  if (missesOurs(state, said, schema)) {
    return refused(`run \`npx kannuki migrate\`, or call migrate(), before first use.`);
  }
  // Class 08 connection, 53 resources, 57P operator: all of them pass, or are put right elsewhere.
  if (/^(08|53|57P)/.test(state)) return unavailable('try again later.');
  return error;
}

/** A table, function or the schema of ours does not exist, as opposed to one of the user's own. */
export function missesOurs(state: string, said: string, schema: string): boolean {
  if (state === '3F000') return said.includes(`"${schema}"`);
  return (state === '42P01' || state === '42883') && said.includes(`${schema}.`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
