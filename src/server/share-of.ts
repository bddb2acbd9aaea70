import { LeaseError } from '../core/errors.ts';
import { sharedCapacity } from '../core/limits.ts';
import type { Share } from '../core/ports.ts';
import type { ShareFields } from './contract.ts';

/** The share that a body asks for, as an object to spread. */
export function shareOf({ shared, capacity, weight }: ShareFields): { readonly share?: Share } {
  if (shared && capacity !== undefined) throw contradiction('"shared" and "capacity" exclude each other.');
  if (weight !== undefined && capacity === undefined) throw contradiction('"weight" needs "capacity".');
  if (shared) return { share: { weight: 1, capacity: sharedCapacity } };
  if (capacity === undefined) return {};
  if ((weight ?? 1) > capacity) throw contradiction(`The weight ${weight} is more than the capacity ${capacity}.`);
  return { share: { weight: weight ?? 1, capacity } };
}

function contradiction(message: string): LeaseError {
  return new LeaseError(message, { code: 'invalid-argument' });
}
