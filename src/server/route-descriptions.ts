/** Every route described: one that is not does not compile. */
import { z } from 'zod';
import { bookingDescriptions } from './descriptions/booking-descriptions.ts';
import { jobDescriptions } from './descriptions/job-descriptions.ts';
import { leaseDescriptions } from './descriptions/lease-descriptions.ts';
import { serverDescriptions } from './descriptions/server-descriptions.ts';
import { telemetryDescriptions } from './descriptions/telemetry-descriptions.ts';
import type { Route } from './route.ts';
import type { RouteDescription } from './route-description.ts';
import type { RouteName } from './routes.ts';

/** For programs that are typed by it: each route with its own schemas. */
export const routeDescriptions = {
  ...bookingDescriptions,
  ...jobDescriptions,
  ...leaseDescriptions,
  ...serverDescriptions,
  ...telemetryDescriptions,
} satisfies Readonly<Record<RouteName, RouteDescription>>;

/** Of a route that is not in our table. */
const undescribed: RouteDescription = { summary: 'Not described.', answer: z.unknown() };

export function descriptionOf({ method, path }: Pick<Route, 'method' | 'path'>): RouteDescription {
  return (routeDescriptions as Readonly<Record<string, RouteDescription>>)[`${method} ${path}`] ?? undescribed;
}
