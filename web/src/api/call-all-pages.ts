import { callApi } from './call-api.ts';

/** Every page of a list. `path` has a query already. */
export async function callAllPages<Reply extends { readonly cursor?: string }>(
  path: string,
): Promise<readonly [Reply, ...Reply[]]> {
  const pages: [Reply, ...Reply[]] = [await callApi<Reply>('GET', path)];
  for (let cursor = pages[0].cursor; cursor !== undefined; ) {
    const page: Reply = await callApi<Reply>('GET', `${path}&cursor=${cursor}`);
    pages.push(page);
    cursor = page.cursor;
  }
  return pages;
}
