/** The pages about bookings, as the side bar lists them. */
export const bookingPages = [
  { to: '/reservations', icon: 'resv', word: 'nav.reservations', key: 'v', tab: true },
  { to: '/races', icon: 'races', word: 'nav.races' },
  { to: '/mailbox', icon: 'mail', word: 'nav.mailbox' },
  { to: '/checkout', icon: 'card', word: 'nav.checkout' },
] as const;
