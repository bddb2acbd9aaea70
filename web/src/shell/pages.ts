import { bookingPages } from './booking-pages.ts';

/** The pages of the side bar, in groups; the palette and the keys know them too. */
export interface PageLink {
  readonly to: string;
  readonly icon: string;
  /** A key of the words. */
  readonly word: string;
  /** After G. */
  readonly key?: string;
  /** Among the five of small screens. */
  readonly tab?: true;
}

export interface PageGroup {
  /** A key of the words; none: no heading. */
  readonly word?: string;
  readonly pages: readonly PageLink[];
}

export const pageGroups = [
  { pages: [{ to: '/', icon: 'home', word: 'nav.overview', key: 'o', tab: true }] },
  {
    word: 'nav.work',
    pages: [
      { to: '/runs', icon: 'runs', word: 'nav.runs', key: 'r', tab: true },
      { to: '/jobs', icon: 'jobs', word: 'nav.jobs', key: 'j' },
      { to: '/workers', icon: 'workers', word: 'nav.workers', key: 'w' },
    ],
  },
  {
    word: 'nav.locks',
    pages: [
      { to: '/leases', icon: 'leases', word: 'nav.leases', key: 'l', tab: true },
      { to: '/rollout', icon: 'rollout', word: 'nav.rollout' },
    ],
  },
  { word: 'nav.bookings', pages: bookingPages },
  {
    word: 'nav.system',
    pages: [
      { to: '/guarantees', icon: 'shield', word: 'nav.guarantees' },
      { to: '/settings', icon: 'gear', word: 'nav.settings', key: 's' },
      { to: '/audit', icon: 'audit', word: 'nav.audit', key: 'a' },
    ],
  },
] as const satisfies readonly PageGroup[];

export const allPages: readonly PageLink[] = pageGroups.flatMap(({ pages }): readonly PageLink[] => pages);
