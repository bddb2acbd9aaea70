/** What of the reservations page is in its address. */
export interface BookingSearch {
  /** First day shown. */
  readonly from?: string;
  readonly q?: string;
  readonly problems?: boolean;
}

export function bookingSearch(search: Record<string, unknown>): BookingSearch {
  const { from, q, problems } = search;
  return {
    ...(typeof from === 'string' && /^\d{4}-\d\d-\d\d$/.test(from) && { from }),
    ...((typeof q === 'string' || typeof q === 'number') && String(q) !== '' && { q: String(q).slice(0, 200) }),
    ...(problems === true && { problems: true }),
  };
}
