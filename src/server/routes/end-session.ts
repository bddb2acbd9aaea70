import type { Call } from '../call.ts';
import { sessionCookie } from '../sign-in/session-cookie.ts';

/** Signs out this browser. */
export function endSession(_: Call): Response {
  return Response.json({ ended: true }, { headers: { 'set-cookie': sessionCookie('', 0, false) } });
}
