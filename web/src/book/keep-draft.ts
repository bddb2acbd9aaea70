/** What the customer has typed, kept for this visit: a time that was taken must not cost them their words. */

export interface Draft {
  readonly film: string;
  readonly name: string;
  readonly email: string;
}

const place = 'kannuki-booking-draft';

export function readDraft(customer: { readonly name: string; readonly email: string } | undefined): Draft {
  const empty = { film: '', name: customer?.name ?? '', email: customer?.email ?? '' };
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return empty;
    const text = (name: keyof Draft): string => {
      const value = (kept as Record<string, unknown>)[name];
      return typeof value === 'string' && value !== '' ? value : empty[name];
    };
    return { film: text('film'), name: text('name'), email: text('email') };
  } catch {
    return empty;
  }
}

export function writeDraft(draft: Draft): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(draft));
  } catch {
    // Without storage the words last as long as the page.
  }
}
