/** One row of the catalogue of races, and the steps that many of them share. */
import { expect } from 'vitest';
import { AppError } from '../../src/systems/reservations/app-error.ts';
import { type BookingWorld, type Customer, minute, today, type WorldOptions } from './booking-world.ts';

export interface Race {
  /** As in `docs/internals/reservations.md`. */
  readonly number: number;
  readonly name: string;
  readonly options?: WorldOptions;
  run(world: BookingWorld): Promise<void>;
}

export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fine',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

export async function paid(
  world: BookingWorld,
  slot = 1,
  day = today,
): Promise<{ id: number; customer: Customer; intent: string }> {
  const customer = await world.addCustomer();
  const id = await world.hold(customer, slot, { day });
  const sessionId = await world.pay(id, customer);
  await world.settle();
  return { id, customer, intent: world.payments.sessions.get(sessionId)?.paymentIntentId ?? '' };
}

export const refundStates = async (world: BookingWorld): Promise<readonly string[]> =>
  (await world.rows<{ state: string }>('select state from @refunds order by id')).map(({ state }) => state);

export const templates = (world: BookingWorld): readonly string[] => world.mails.map(({ template }) => template);

/** Paid in time, then given up because the provider could not be reached; it answers again now. */
export async function givenUp(world: BookingWorld): Promise<{ readonly id: number }> {
  const customer = await world.addCustomer();
  const id = await world.hold(customer);
  await world.pay(id, customer);
  world.payments.events.length = 0;
  world.payments.fault = () => true;
  await world.advance(16 * minute);
  await world.reservations.expireHolds();
  await world.drain();
  await world.advance(11 * minute);
  expect(await world.reservations.expireHolds()).toMatchObject({ givenUp: 1 });
  expect(await world.status(id)).toBe('expired');
  expect((await world.reservations.listAlerts()).map(({ rule }) => rule)).toEqual(['provider-unreachable']);
  world.payments.fault = undefined;
  return { id };
}

export async function voucher(
  world: BookingWorld,
  forMs: number,
): Promise<{ readonly id: number; readonly sessionId: string }> {
  const customer = await world.addCustomer();
  const id = await world.hold(customer);
  const { sessionId } = await world.reservations.startCheckout(id, { actor: customer.actor });
  world.payments.chooseVoucher(sessionId, forMs);
  await world.settle();
  expect(await world.status(id)).toBe('payment_pending');
  return { id, sessionId };
}
