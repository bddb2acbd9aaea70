import { alertNotice } from '../../../systems/reservations/index.ts';
import { bookingOf } from '../../booking/booking-of.ts';
import { type AlertsReply, alertsQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readQuery } from '../../read-request.ts';

/** What a person should know; the open ones first. `open=false` shows those that have closed, too. */
export async function listAlerts(call: Call): Promise<Response> {
  const { open = 'true', locale = 'en', limit = 100 } = readQuery(call, alertsQuery);
  const rows = await bookingOf(call).reservations.read.alerts({ open: open === 'true', limit });
  const alerts = rows.map((alert) => {
    const { title, text } = alertNotice(alert, locale);
    return { ...alert, title, text };
  });
  return Response.json({ alerts } satisfies AlertsReply);
}
