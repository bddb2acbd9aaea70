/** The table of routes as a function from method and path to the one that serves them. */
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { tryDecodeURIComponent } from 'hono/utils/url';
import type { Route } from './route.ts';

export interface FoundRoute<Served> {
  readonly served: Served;
  /** The named parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** `allowed`: the path is known, yet not under this method. Undefined: there is nothing at this path. */
export type FindRoute<Served> = (
  method: string,
  path: string,
) => FoundRoute<Served> | { readonly allowed: readonly string[] } | undefined;

export function createFindRoute<Served extends Pick<Route, 'method' | 'path'>>(
  table: readonly Served[],
): FindRoute<Served> {
  const router = new SmartRouter<Served | readonly string[]>({ routers: [new RegExpRouter(), new TrieRouter()] });
  for (const served of table) router.add(served.method, served.path, served);
  for (const path of new Set(table.map((served) => served.path))) {
    const allowed = table.filter((served) => served.path === path).map((served) => served.method);
    router.add('ALL', path, allowed);
  }
  return (method, path) => {
    const [matches, stash] = router.match(method, path);
    const first = matches[0];
    if (!first) return undefined;
    const [found, places] = first;
    return isAllowed(found) ? { allowed: found } : { served: found, params: paramsOf(places, stash) };
  };
}

function isAllowed(found: object): found is readonly string[] {
  return Array.isArray(found);
}

/** One of the two routers tells where in `stash` a value stands, the other one the value itself. */
function paramsOf(
  places: Readonly<Record<string, number | string>>,
  stash: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  let params: Record<string, string> | undefined;
  for (const name in places) {
    const place = places[name];
    const value = typeof place === 'number' ? stash?.[place] : place;
    if (value === undefined) continue;
    params ??= {};
    params[name] = tryDecodeURIComponent(value);
  }
  return params ?? none;
}

const none = {};
