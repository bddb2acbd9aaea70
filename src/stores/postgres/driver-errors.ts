/** Errors of `pg` and of the network as LeaseErrors. */
import { LeaseError } from '../../core/errors.ts';
import { explainSqlError, type SqlErrorContext, sqlState } from '../../sql/sql-errors.ts';

/** The connection is of no more use, nobody knows what it is doing, or it leads to a server that is no longer primary. */
export function breaksConnection(error: unknown): boolean {
  const cause = error instanceof LeaseError ? error.cause : error;
  const state = sqlState(cause);
  return state === undefined ? isNetworkError(cause) : /^(08|57P|25006)/.test(state);
}

/** `sent`: a statement was on its way, so that its effect is not known when the connection breaks. */
export function explainDriverError(error: unknown, context: SqlErrorContext, sent: boolean): unknown {
  if (error instanceof LeaseError || !(error instanceof Error)) return error;
  if (/^SASL/.test(error.message)) {
    return new LeaseError(`${context.where} wants a password (${error.message}): put it into the connection string.`, {
      code: 'store-refused',
      cause: error,
    });
  }
  if (!isNetworkError(error)) return explainSqlError(error, context);
  const said = error.message || ('code' in error && String(error.code)) || error.name;
  const next = sent ? 'it is not known whether the statement took effect' : 'check that it runs and can be reached';
  return new LeaseError(`${context.where} did not answer (${said}); ${next}.`, {
    code: 'store-unavailable',
    retryable: true,
    cause: error,
  });
}

/** `pg` gives its own plain errors for lost connections, and Node's system errors have codes like ECONNREFUSED. */
function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error) || sqlState(error) !== undefined) return false;
  if ('syscall' in error || ('code' in error && /^E[A-Z]+$|^ERR_(SOCKET|STREAM|TLS|SSL)/.test(String(error.code))))
    return true;
  return /connection (terminated|timeout|error)|timeout exceeded|no answer within|not queryable|client was closed|server does not support SSL/i.test(
    error.message,
  );
}
