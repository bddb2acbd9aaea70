import type { LeaseInfo, ListPlace } from './ports.ts';

/** Whether an entry of a list comes after a place. The key's order is the store's own: only its own key is looked at. */
export function followsPlace({ key, token }: Pick<LeaseInfo, 'key' | 'token'>, after: ListPlace | undefined): boolean {
  return after === undefined || key !== after.key || token > after.token;
}
