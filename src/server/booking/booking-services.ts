/** What the booking routes work with. */
import type { Reservations, WebhookEndpoint } from '../../systems/reservations/index.ts';
import type { SandboxRender } from '../../systems/reservations/providers/sandbox/index.ts';
import type { Customers } from './create-customers.ts';
import type { Mailbox } from './database-mailbox.ts';
import type { SharedSandbox } from './shared-sandbox.ts';

export interface BookingSite {
  /** What the place is called; customers read it. */
  readonly name: string;
  readonly timeZone: string;
  readonly holdMs: number;
  readonly slots: readonly { readonly number: number; readonly startsAt: string; readonly lengthMinutes: number }[];
  /** How many days ahead can be booked, today included. */
  readonly daysAhead: number;
  /** What the renderer is given for a film of that title. */
  readonly filmSource: (title: string) => object;
}

export interface BookingServices {
  readonly site: BookingSite;
  readonly reservations: Reservations;
  readonly customers: Customers;
  readonly webhooks: WebhookEndpoint;
  /** In the path of the renderer's callback. */
  readonly renderSecret: string;
  /** Those of the providers that are sandboxes. */
  readonly sandbox: {
    readonly payments?: SharedSandbox;
    readonly mail?: Mailbox;
    readonly render?: SandboxRender;
  };
}
