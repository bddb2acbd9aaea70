import { bookingOf } from '../../booking/booking-of.ts';
import { customerCookie } from '../../booking/customer-cookie.ts';
import { dayAt } from '../../booking/list-days.ts';
import type { BookingSessionReply } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { ProblemError } from '../../problem.ts';
import { isSameOrigin } from '../../same-origin.ts';

/** What the booking page begins with. A browser without a cookie gets one. */
export async function startBooking(call: Call): Promise<Response> {
  const { site, customers, sandbox } = bookingOf(call);
  if (!isSameOrigin(call.request)) {
    throw new ProblemError({ status: 403, code: 'forbidden', detail: 'Book from the booking page of this server.' });
  }
  const known = customers.visitorOf(call.request);
  const user = known === undefined ? undefined : await customers.findUser(known);
  const { name, timeZone, holdMs, daysAhead } = site;
  const slots = site.slots.map(({ number, lengthMinutes }) => ({ number, lengthMinutes }));
  const today = dayAt(call.services.clock.wallMs(), timeZone);
  const reply: BookingSessionReply = {
    site: { name, timeZone, holdMs, daysAhead, today, slots },
    sandbox: sandbox.payments !== undefined,
    ...(user && { customer: { name: user.name, email: user.email } }),
  };
  if (known !== undefined) return Response.json(reply);
  const { cookie, lastsMs } = customers.begin();
  const secure = new URL(call.request.url).protocol === 'https:';
  return Response.json(reply, { headers: { 'set-cookie': customerCookie(cookie, lastsMs, secure) } });
}
