import { LeaseError } from '../../core/errors.ts';
import { checkShare } from '../../core/lease-arguments.ts';
import { sharedCapacity } from '../../core/limits.ts';
import type { LeaseStore, Share } from '../../core/ports.ts';
import type { TryOptions } from '../acquire-options.ts';

/** The share an acquire asks for; undefined = exclusive. */
export function shareOf(store: LeaseStore, { shared, capacity, weight }: TryOptions): Share | undefined {
  if (shared) {
    if (capacity !== undefined || weight !== undefined) {
      throw new LeaseError('A lease is either shared or counted: name `shared`, or `capacity` and `weight`.', {
        code: 'invalid-argument',
      });
    }
    if (store.capabilities.shared !== true) throw unsupported(store, 'shared leases', store.capabilities.shared.no);
    return { weight: 1, capacity: sharedCapacity };
  }
  if (capacity === undefined) {
    if (weight === undefined) return undefined;
    throw new LeaseError('A weight needs a capacity.', { code: 'invalid-argument' });
  }
  const share = { weight: weight ?? 1, capacity };
  checkShare(share);
  if (store.capabilities.counted !== true) throw unsupported(store, 'counted leases', store.capabilities.counted.no);
  return share;
}

/** The store says no, and why. */
export function unsupported(store: LeaseStore, what: string, why: string): LeaseError {
  return new LeaseError(`The ${store.name} store has no ${what}: ${why}`, { code: 'unsupported' });
}
