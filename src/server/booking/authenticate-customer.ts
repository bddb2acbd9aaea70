import { ProblemError } from '../problem.ts';
import { isSameOrigin } from '../same-origin.ts';
import type { Customers } from './create-customers.ts';

/** The visitor behind the cookie, or a problem: 401 without one, 403 when another site's page wants to change something. */
export function authenticateCustomer(request: Request, customers: Customers | undefined, publicHost?: string): string {
  const visitor = customers?.visitorOf(request);
  if (visitor === undefined) {
    throw new ProblemError({
      status: 401,
      code: 'unauthenticated',
      detail: 'Open the booking page first: it gives this browser a cookie.',
    });
  }
  if (request.method !== 'GET' && !isSameOrigin(request, publicHost)) {
    throw new ProblemError({ status: 403, code: 'forbidden', detail: 'Book from the booking page of this server.' });
  }
  return visitor;
}
