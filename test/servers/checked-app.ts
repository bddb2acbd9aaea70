/** A server whose every answer is compared with what the reference promises: status, type, and each field. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { ServerApp } from '../../src/server/create-server-app.ts';
import type { Route } from '../../src/server/route.ts';
import { descriptionOf } from '../../src/server/route-descriptions.ts';
import { routes } from '../../src/server/routes.ts';

export interface CheckedApp extends ServerApp {
  /** Routes that have answered with a success, as `METHOD /path`. */
  readonly answered: ReadonlySet<string>;
}

export function checkedApp(app: ServerApp): CheckedApp {
  const answered = new Set<string>();
  const fetch: ServerApp['fetch'] = async (request, address) => {
    const response = await app.fetch(request, address);
    const route = routeOf(request);
    if (!route) return response;
    if (response.ok) answered.add(`${route.method} ${route.path}`);
    await checkAnswer(route, response);
    return response;
  };
  return { answered, stop: () => app.stop(), answer: fetch, fetch };
}

async function checkAnswer(route: Route, response: Response): Promise<void> {
  const { answer, statuses = [200] } = descriptionOf(route);
  const name = `${route.method} ${route.path}`;
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok) {
    if (!type.startsWith('application/problem+json')) throw new Error(`${name} fails with ${type}`);
    return;
  }
  if (!statuses.includes(response.status)) throw new Error(`${name} answers ${response.status}, not ${statuses}`);
  if (!(answer instanceof z.ZodType)) {
    if (!type.startsWith(answer.contentType)) throw new Error(`${name} answers ${type}, not ${answer.contentType}`);
    return;
  }
  const json: unknown = await response.clone().json();
  const parsed = answer.safeParse(json);
  if (!parsed.success) throw new Error(`${name} answers other than described: ${parsed.error.message}`);
  // What the schema does not name it leaves out.
  if (!isDeepStrictEqual(parsed.data, json)) {
    throw new Error(`${name} answers more than described: ${JSON.stringify(json)}`);
  }
}

function routeOf({ method, url }: Request): Route | undefined {
  const parts = new URL(url).pathname.split('/');
  return routes.find((route) => {
    const own = route.path.split('/');
    return (
      route.method === method &&
      own.length === parts.length &&
      own.every((part, at) => part.startsWith(':') || part === parts[at])
    );
  });
}
