/** The rows of a list for `--limit` and `--after`: over as many pages as it takes. */
import type { ApiAnswer, ApiRequest, PagedRoute } from '../client/route-call.ts';
import { limits } from '../core/limits.ts';
import type { ApiClient } from './api-client.ts';
import type { CliContext } from './cli-context.ts';
import { readCount } from './options.ts';

export interface ListOptions {
  /** A number, or `all`. */
  readonly limit: string;
  /** What an earlier call said to go on with. */
  readonly after?: string;
}

export async function readRows<Name extends PagedRoute, Row>(
  context: CliContext,
  client: ApiClient,
  { limit: text, after }: ListOptions,
  name: Name,
  request: ApiRequest<Name>,
  rowsOf: (answer: ApiAnswer<Name>) => readonly Row[],
): Promise<readonly Row[]> {
  const wanted = text === 'all' ? Number.POSITIVE_INFINITY : readCount('--limit', text, context.messages);
  const { query = {} } = request as { readonly query?: object };
  const rows: Row[] = [];
  for (let cursor = after; ; ) {
    const limit = Math.min(limits.listMax, wanted - rows.length);
    const page = { ...query, limit, ...(cursor !== undefined && { cursor }) };
    const answer = await client.call(name, { ...request, query: page });
    rows.push(...rowsOf(answer));
    ({ cursor } = answer as { readonly cursor?: string });
    if (cursor === undefined) return rows;
    if (rows.length >= wanted) {
      context.say(context.messages.moreRows(cursor));
      return rows;
    }
  }
}
