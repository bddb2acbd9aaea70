import type { Call, Handler } from './call.ts';
import type { Answers } from './once/create-answers.ts';
import type { Route } from './route.ts';
import type { RouteDescription } from './route-description.ts';
import { descriptionOf } from './route-descriptions.ts';

/** A route as a server serves it. */
export interface ServedRoute extends Route {
  readonly description: RouteDescription;
  readonly serve: Handler;
}

/** The route with its description; a POST is served once per `Idempotency-Key` unless the description says why not. */
export function servedRoute(route: Route, answers: Answers | undefined): ServedRoute {
  const { handle } = route;
  const description = descriptionOf(route);
  if (route.method !== 'POST' || description.once !== undefined || !answers)
    return { ...route, description, serve: handle };
  return {
    ...route,
    description,
    serve: (call) =>
      answers.serve({ request: call.request, whose: whoseOf(call) }, (request) => handle({ ...call, request })),
  };
}

/** To whom answers belong that are kept under a key. */
function whoseOf({ caller, customer }: Call): string | undefined {
  if (caller) return `${caller.role}:${caller.name}`;
  return customer === undefined ? undefined : `customer:${customer}`;
}
