import type { ApiAnswer, ApiRequest, PagedRoute } from './route-call.ts';

/** Page after page of a list, each asked for when the one before has been taken. */
export async function* followPages<Name extends PagedRoute>(
  ask: (request: ApiRequest<Name>) => Promise<ApiAnswer<Name>>,
  request: ApiRequest<Name>,
): AsyncGenerator<ApiAnswer<Name>, void, undefined> {
  const { query = {} } = request as { readonly query?: object };
  for (let place: { readonly cursor?: string } = {}; ; ) {
    const answer = await ask({ ...request, query: { ...query, ...place } });
    yield answer;
    const { cursor } = answer as { readonly cursor?: string };
    if (cursor === undefined) return;
    place = { cursor };
  }
}
