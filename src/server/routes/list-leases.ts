import type { Call } from '../call.ts';
import { type ListReply, listQuery } from '../contract.ts';
import { pageOf } from '../paging/page-of.ts';
import { readQuery } from '../read-request.ts';

/** In the order of the keys. */
export async function listLeases(call: Call): Promise<Response> {
  const { prefix, cursor, limit = 100 } = readQuery(call, listQuery);
  const { rows, more } = await pageOf({
    list: 'leases',
    limit,
    read: (count) =>
      call.services.store.list({
        limit: count,
        ...(prefix !== undefined && { prefix }),
        ...(cursor && { after: { key: cursor[0], token: cursor[1] } }),
      }),
    placeOf: ({ key, token }) => [key, token],
  });
  return Response.json({ leases: rows, ...more } satisfies ListReply);
}
