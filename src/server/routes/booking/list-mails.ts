import { bookingOf } from '../../booking/booking-of.ts';
import { type MailsReply, mailsQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readQuery } from '../../read-request.ts';

/** The mailbox of the sandbox, the newest first; empty where mails really leave. */
export async function listMails(call: Call): Promise<Response> {
  const { cursor, limit = 50 } = readQuery(call, mailsQuery);
  const { mail } = bookingOf(call).sandbox;
  const beforeId = cursor === undefined ? {} : { beforeId: Number(cursor) };
  const rows = (await mail?.list({ ...beforeId, limit: limit + 1 })) ?? [];
  const mails = rows.slice(0, limit);
  const last = mails.at(-1);
  return Response.json({
    mails,
    ...(rows.length > limit && last && { cursor: String(last.id) }),
  } satisfies MailsReply);
}
