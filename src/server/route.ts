import type { Role } from './authenticate.ts';
import type { Handler, SystemServices } from './call.ts';

/** One route: method, path, who may, and what does it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /**
   * The least role that may; `anyone` needs no token, `customer` is a browser with the booking page's cookie, `internal`
   * is for task queues and nobody else.
   */
  readonly role: Role | 'anyone' | 'customer' | 'internal';
  readonly handle: Handler;
  /** How often one address may ask, on routes for anyone. @default 'anonymous' */
  readonly limit?: 'anonymous' | 'none' | 'sign-in';
  /** Pages of other sites may call it too; the handler then says which. @default false */
  readonly crossOrigin?: true;
  /** The route exists only where the server has this system. */
  readonly system?: keyof SystemServices;
}
