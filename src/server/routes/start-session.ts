import type { Call } from '../call.ts';
import { ProblemError } from '../problem.ts';
import { readBody } from '../read-request.ts';
import { isSameOrigin } from '../same-origin.ts';
import { sessionCookie } from '../sign-in/session-cookie.ts';
import { sessionBody } from '../sign-in/sign-in-contract.ts';

/** Exchanges a one-time code for a session. */
export async function startSession(call: Call): Promise<Response> {
  const { code } = await readBody(call, sessionBody);
  if (!isSameOrigin(call.request, call.services.publicHost)) {
    throw new ProblemError({ status: 403, code: 'forbidden', detail: 'Sign in from a page of this server.' });
  }
  const session = await call.services.systems.signIn?.redeemCode(code);
  if (!session) {
    throw new ProblemError({
      status: 401,
      code: 'unauthenticated',
      detail: 'This link was used before, or is too old; ask for a new one with `kannuki sign-in`.',
    });
  }
  const { name, role, cookie, lastsMs } = session;
  const secure = new URL(call.request.url).protocol === 'https:';
  return Response.json({ name, role }, { headers: { 'set-cookie': sessionCookie(cookie, lastsMs, secure) } });
}
