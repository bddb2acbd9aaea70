import type { SandboxPayments } from '../../systems/reservations/providers/sandbox/index.ts';
import type { SandboxSession } from '../booking-contract.ts';

/** A session of the sandbox for a page; undefined: there is none of that id. */
export function showSandboxSession(payments: SandboxPayments, id: string): SandboxSession | undefined {
  payments.book.sessions.tick();
  const found = payments.book.sessions.find(id);
  if (!found.ok) return undefined;
  const session = found.value;
  return {
    session: session.id,
    reservationId: Number(session.client_reference_id ?? 0),
    title: payments.book.state.plans.get(session.id)?.title ?? '',
    email: session.customer_email ?? '',
    amount: session.amount_total,
    currency: session.currency,
    status: session.status,
    payment: session.payment_status === 'paid' ? 'paid' : 'unpaid',
    later: session.payment_method_types.includes('konbini'),
    createdAtMs: session.created * 1000,
    expiresAtMs: session.expires_at * 1000,
  };
}
