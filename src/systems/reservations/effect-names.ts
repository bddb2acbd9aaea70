/** The effects of reservations. A name is kept for ever: rows of an older version still carry it. */
export const effectNames = {
  alert: 'reservations.alert',
  close: 'reservations.close-session',
  mail: 'reservations.mail',
  refund: 'reservations.refund',
  render: 'reservations.render',
  renderCheck: 'reservations.render-check',
} as const;
