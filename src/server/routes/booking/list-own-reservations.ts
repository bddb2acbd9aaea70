import { bookingOf } from '../../booking/booking-of.ts';
import { customerView } from '../../booking/customer-view.ts';
import type { CustomerReservationsReply } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';

/** The customer's own, the newest first. */
export async function listOwnReservations(call: Call): Promise<Response> {
  const { customers, reservations } = bookingOf(call);
  const user = call.customer === undefined ? undefined : await customers.findUser(call.customer);
  const own = user ? await reservations.read.list({ userId: user.id, limit: 100 }) : [];
  return Response.json({ reservations: own.map(customerView) } satisfies CustomerReservationsReply);
}
