/** Races for a slot and its keys. */
import { expect } from 'vitest';
import { minute, today } from './booking-world.ts';
import { codeOf, type Race } from './race.ts';

export const slotRaces: readonly Race[] = [
  {
    number: 2,
    name: 'the same key again gives the same answer, and does not restart the clock',
    async run(world) {
      const { videoId, actor } = await world.addCustomer();
      const input = { videoId, projectionDate: today, slotNumber: 1, idempotencyKey: world.key() };
      const first = await world.reservations.holdSlot(input, { actor });
      await world.advance(5 * minute);
      expect(await world.reservations.holdSlot(input, { actor })).toEqual({ ...first, replayed: true });
    },
  },
  {
    number: 3,
    name: 'the same key with another request is refused, in every state',
    async run(world) {
      const customer = await world.addCustomer();
      const key = world.key();
      const id = await world.hold(customer, 1, { key });
      expect(await codeOf(world.hold(customer, 2, { key }))).toBe('IDEMPOTENCY_KEY_REUSED');
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      expect(await codeOf(world.hold(customer, 2, { key }))).toBe('IDEMPOTENCY_KEY_REUSED');
      expect(await world.hold(customer, 1, { key })).toBe(id);
    },
  },
  {
    number: 7,
    name: 'an overdue hold without a session is freed by the next customer, at once',
    async run(world) {
      const [a, b] = [await world.addCustomer(), await world.addCustomer()];
      const first = await world.hold(a);
      await world.advance(15 * minute);
      const second = await world.hold(b);
      expect([await world.status(first), await world.status(second)]).toEqual(['expired', 'hold']);
      expect(world.payments.calls).toEqual([]);
    },
  },
  {
    number: 8,
    name: 'two sweepers at once emit one set of effects',
    async run(world) {
      for (let slot = 1; slot <= 6; slot++) {
        const customer = await world.addCustomer();
        const id = await world.hold(customer, slot);
        if (slot % 2) await world.reservations.startCheckout(id, { actor: customer.actor });
      }
      await world.advance(15 * minute);
      const sweeps = await Promise.all([1, 2, 3].map(() => world.reservations.expireHolds()));
      expect(sweeps.reduce((sum, { expired, expiring }) => sum + expired + expiring, 0)).toBe(6);
      await world.settle();
      expect(world.payments.calls.filter(({ call }) => call === 'expireSession')).toHaveLength(3);
    },
  },
  {
    number: 10,
    name: 'the session is closed at the provider before the slot is free',
    async run(world) {
      const [a, b] = [await world.addCustomer(), await world.addCustomer()];
      const id = await world.hold(a);
      const { sessionId } = await world.reservations.startCheckout(id, { actor: a.actor });
      await world.advance(15 * minute);
      expect(await codeOf(world.hold(b))).toBe('SLOT_SETTLING');
      expect(world.payments.sessions.get(sessionId)?.status).toBe('open');
      await world.drain();
      expect(world.payments.sessions.get(sessionId)?.status).toBe('expired');
      expect(await codeOf(world.hold(b))).toBe('fine');
      expect(world.payments.pay(sessionId)).toBe(false);
    },
  },
  {
    number: 57,
    name: 'the same key after its hold has expired: the old answer with the status of now, never a new hold',
    async run(world) {
      const { videoId, actor } = await world.addCustomer();
      const input = { videoId, projectionDate: today, slotNumber: 1, idempotencyKey: world.key() };
      const first = await world.reservations.holdSlot(input, { actor });
      await world.advance(15 * minute);
      await world.reservations.expireHolds();
      expect(await world.reservations.holdSlot(input, { actor })).toEqual({
        ...first,
        status: 'expired',
        replayed: true,
      });
    },
  },
  {
    number: 58,
    name: 'one’s own hold under a new key is handed back, and that key keeps its answer',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      const key = world.key();
      expect(await world.hold(customer, 1, { key })).toBe(id);
      await world.advance(15 * minute);
      await world.reservations.expireHolds();
      expect(await world.hold(customer, 1, { key })).toBe(id);
      expect(await codeOf(world.hold(customer, 2, { key }))).toBe('IDEMPOTENCY_KEY_REUSED');
    },
  },
  {
    number: 59,
    name: 'a key never shows another customer’s booking; keys that are no UUID v4 are refused',
    async run(world) {
      const [a, b] = [await world.addCustomer(), await world.addCustomer()];
      const key = world.key();
      const first = await world.hold(a, 1, { key });
      expect(await codeOf(world.hold(b, 1, { key }))).toBe('SLOT_ALREADY_TAKEN');
      const second = await world.hold(b, 2, { key });
      expect(second).not.toBe(first);
      for (const bad of ['', 'x', `${key}0`, key.replace('-4', '-1')]) {
        expect(await codeOf(world.hold(a, 3, { key: bad }))).toBe('INVALID_ARGUMENT');
      }
    },
  },
];
