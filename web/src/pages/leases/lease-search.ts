/** What of the leases page is in its address. */
export interface LeaseSearch {
  readonly prefix?: string;
  /** The lease whose detail is shown. */
  readonly key?: string;
}

export function leaseSearch(search: Record<string, unknown>): LeaseSearch {
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const [prefix, key] = [text(search.prefix), text(search.key)];
  return { ...(prefix !== undefined && { prefix }), ...(key !== undefined && { key }) };
}
