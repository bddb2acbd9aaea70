/** The payment page of the sandbox, for the customer whose session it is. */
import { bookingOf, customerOf, noSuchReservation } from '../../booking/booking-of.ts';
import { type SandboxSession, type SandboxSessionReply, sandboxPressBody } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readBody } from '../../read-request.ts';
import { pressSandbox } from './sandbox-sessions.ts';

export async function getSandboxCheckout(call: Call): Promise<Response> {
  return Response.json({ session: await ownSession(call) } satisfies SandboxSessionReply);
}

export async function pressSandboxCheckout(call: Call): Promise<Response> {
  const { press } = await readBody(call, sandboxPressBody);
  const { session } = await ownSession(call);
  return Response.json(await pressSandbox(call, session, press));
}

async function ownSession(call: Call): Promise<SandboxSession> {
  const { sandbox, reservations } = bookingOf(call);
  const { id: userId } = await customerOf(call);
  const session = await sandbox.payments?.findSession(call.params.session ?? '');
  if (!session) throw noSuchReservation();
  const [found] = await reservations.read.list({ userId, beforeId: session.reservationId + 1, limit: 1 });
  if (found?.id !== session.reservationId) throw noSuchReservation();
  return session;
}
