import type { Call } from '../call.ts';
import { type LeaveReply, leaveBody } from '../contract.ts';
import { readBody } from '../read-request.ts';

/** `left: false` = not in line: the grant may have arrived; release it with token null. */
export async function leaveLine(call: Call): Promise<Response> {
  const left = await call.services.store.leave(await readBody(call, leaveBody));
  return Response.json({ left } satisfies LeaveReply);
}
