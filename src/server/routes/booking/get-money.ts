import { bookingOf } from '../../booking/booking-of.ts';
import type { MoneyReply } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';

/** The books, with every row that does not add up. */
export async function getMoney(call: Call): Promise<Response> {
  return Response.json((await bookingOf(call).reservations.auditMoney()) satisfies MoneyReply);
}
