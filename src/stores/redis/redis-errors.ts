/** What a server's or client's error means to a caller. */
import { LeaseError } from '../../core/errors.ts';

/** The script is not in the server's cache: it was restarted, or never saw it. */
export function missesScript(error: unknown): boolean {
  return /^NOSCRIPT\b/.test(messageOf(error));
}

/** For those who wait for a command: its failure in our words. */
export async function failedCommand(error: unknown): Promise<never> {
  throw explainRedisError(error);
}

export function explainRedisError(error: unknown): LeaseError {
  if (error instanceof LeaseError) return error;
  const said = messageOf(error);
  if (/\b(kannuki-corrupt|WRONGTYPE)\b/.test(said)) {
    return new LeaseError(
      `What Redis holds under this name is not ours or is damaged (${said}); nothing was changed. Use another prefix, or delete that key.`,
      { code: 'store-corrupt', cause: error },
    );
  }
  if (/^CROSSSLOT\b/.test(said)) {
    return new LeaseError(
      `Redis is a cluster and the keys lie in several slots (${said}); give them the same part in braces.`,
      { code: 'unsupported', cause: error },
    );
  }
  if (/^(NOAUTH|WRONGPASS|NOPERM|DENIED|NOPROTO)\b/.test(said)) {
    return new LeaseError(`Redis refused (${said}): check the user, the password and its rights.`, {
      code: 'store-refused',
      cause: error,
    });
  }
  if (/^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|OOM|MISCONF|NOREPLICAS|MOVED|ASK)\b/.test(said)) {
    return new LeaseError(`Redis is not available (${said}): nothing was changed, try again later.`, {
      code: 'store-unavailable',
      retryable: true,
      cause: error,
    });
  }
  if (/^ERR\b/.test(said)) return new LeaseError(`Redis refused (${said}).`, { code: 'store-refused', cause: error });
  // Everything else is the client's word for a connection that is gone.
  return new LeaseError(
    `Redis did not answer (${said}); it is not known whether the command took effect. Check that it runs and that the client is connected.`,
    { code: 'store-unavailable', retryable: true, cause: error },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
