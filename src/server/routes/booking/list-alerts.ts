import { alertNotice } from '../../../systems/reservations/index.ts';
import { bookingOf } from '../../booking/booking-of.ts';
import { type AlertsReply, alertsQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { pageOf } from '../../paging/page-of.ts';
import { readQuery } from '../../read-request.ts';

/** What a person should know, the newest first. `open=false` shows those that have closed, too. */
export async function listAlerts(call: Call): Promise<Response> {
  const { open = 'true', locale = 'en', cursor, limit = 100 } = readQuery(call, alertsQuery);
  const { alerts: read } = bookingOf(call).reservations.read;
  const { rows, more } = await pageOf({
    list: 'alerts',
    limit,
    read: (count) => read({ open: open === 'true', ...(cursor && { beforeId: cursor[0] }), limit: count }),
    placeOf: ({ id }) => [id],
  });
  const alerts = rows.map((alert) => {
    const { title, text } = alertNotice(alert, locale);
    return { ...alert, title, text };
  });
  return Response.json({ alerts, ...more } satisfies AlertsReply);
}
