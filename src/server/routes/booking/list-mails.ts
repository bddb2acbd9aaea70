import { bookingOf } from '../../booking/booking-of.ts';
import { type MailsReply, mailsQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { pageOf } from '../../paging/page-of.ts';
import { readQuery } from '../../read-request.ts';

/** The mailbox of the sandbox, the newest first; empty where mails really leave. */
export async function listMails(call: Call): Promise<Response> {
  const { cursor, limit = 50 } = readQuery(call, mailsQuery);
  const { mail } = bookingOf(call).sandbox;
  const { rows, more } = await pageOf({
    list: 'mails',
    limit,
    read: async (count) => (await mail?.list({ ...(cursor && { beforeId: cursor[0] }), limit: count })) ?? [],
    placeOf: ({ id }) => [id],
  });
  return Response.json({ mails: rows, ...more } satisfies MailsReply);
}
