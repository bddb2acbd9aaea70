import type { Call } from '../call.ts';
import type { CapabilitiesReply } from '../contract.ts';

/** What the store behind this server can do; the HTTP store mirrors it. */
export function getCapabilities({ services }: Call): Response {
  const { name, capabilities } = services.store;
  return Response.json({ store: name, capabilities } satisfies CapabilitiesReply);
}
