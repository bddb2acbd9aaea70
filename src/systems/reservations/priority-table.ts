/**
 * Who wins: every event in every state has one ruled outcome. This table is the product's decision; the code asks it,
 * the documentation prints it, and a test walks through every cell.
 *
 *   a state        the reservation moves there
 *   =              it stays as it is
 *   !              cannot happen: nothing is changed, the pair is journalled as unruled, and a person is told
 *   lateMoney      money charged in time for a reservation that was given up while the provider could not be reached:
 *                  refunded, or reinstated if its slot is free and nothing was refunded, by the policy `lateMoney`
 *   taken, settling, free, replay, refuse, ok    what the caller is told
 *   +effect        what is done besides
 *
 * `overdue` is a stored `hold` past its deadline that nobody has swept yet.
 */

export const reservationStates = [
  'hold',
  'overdue',
  'expiring',
  'payment_pending',
  'confirmed',
  'served',
  'expired',
  'cancelled',
] as const;

export type ReservationState = (typeof reservationStates)[number];

/** What is stored. */
export type ReservationStatus = Exclude<ReservationState, 'overdue'>;

export const reservationEvents = [
  'paid (charged in time)',
  'paid (charged late)',
  'completed, unpaid',
  'async payment failed',
  'session expired (event)',
  'hold deadline passes / sweep',
  'settle: session closed unpaid',
  'settle: provider unreachable > cap',
  'voucher deadline passes',
  'user cancels',
  'admin cancels',
  'refunded outside, net zero',
  'refunded outside, in part',
  'dispute opened',
  'dispute closed',
  'second payment for it',
  'amount or currency differs',
  'render ready',
  'render failed for good',
  'window ends (same failure)',
  'slot begins, video ready',
  'slot begins, no video',
  'refund fails for good',
  'hold again, same key',
  'hold by another',
] as const;

export type ReservationEvent = (typeof reservationEvents)[number];

type Row = readonly [string, string, string, string, string, string, string, string];

/** One cell per state, in the order of `reservationStates`. */
export const priorityTable: Readonly<Record<ReservationEvent, Row>> = {
  'paid (charged in time)': ['confirmed', 'confirmed', 'confirmed', 'confirmed', '=', '=', 'lateMoney', '= +refund'],
  'paid (charged late)': [
    '!',
    'expired +refund',
    'expired +refund',
    'expired +refund',
    '=',
    '=',
    '= +refund',
    '= +refund',
  ],
  'completed, unpaid': ['payment_pending', 'payment_pending', 'payment_pending', '=', '=', '=', '=', '='],
  'async payment failed': ['= +mail', 'expired +mail', 'expired +mail', 'expired +mail', '!', '!', '=', '='],
  'session expired (event)': ['=', 'expired', 'expired', '!', '!', '!', '=', '='],
  'hold deadline passes / sweep': ['expiring +close', 'expiring +close', '=', '=', '=', '=', '=', '='],
  'settle: session closed unpaid': ['=', 'expired', 'expired', '=', '=', '=', '=', '='],
  'settle: provider unreachable > cap': ['=', '=', 'expired +alert', '=', '=', '=', '=', '='],
  'voucher deadline passes': ['!', '!', '!', 'expired', '=', '=', '=', '='],
  'user cancels': [
    'cancelled +close',
    'cancelled +close',
    'cancelled +close',
    'cancelled +close',
    'cancelled +refund',
    'refuse',
    'refuse',
    '= ok',
  ],
  'admin cancels': [
    'cancelled +close',
    'cancelled +close',
    'cancelled +close',
    'cancelled +close',
    'cancelled +refund',
    'refuse',
    'refuse',
    '= ok',
  ],
  'refunded outside, net zero': ['!', '!', '!', '!', 'cancelled +adopt', '= +adopt', '= +adopt', '= +adopt'],
  'refunded outside, in part': ['!', '!', '!', '!', '= +alert', '= +alert', '= +alert', '= +alert'],
  'dispute opened': ['!', '!', '!', '!', '= +freeze', '= +freeze', '= +freeze', '= +freeze'],
  'dispute closed': ['!', '!', '!', '!', '= +thaw', '= +thaw', '= +thaw', '= +thaw'],
  'second payment for it': [
    '= +refund 2nd',
    '= +refund 2nd',
    '= +refund 2nd',
    '= +refund 2nd',
    '= +refund 2nd',
    '= +refund 2nd',
    '= +refund 2nd',
    '= +refund 2nd',
  ],
  'amount or currency differs': [
    '= +alert',
    '= +alert',
    '= +alert',
    '= +alert',
    '= +alert',
    '= +alert',
    '= +refund',
    '= +refund',
  ],
  'render ready': ['=', '=', '=', '=', '=', '=', '=', '='],
  'render failed for good': ['=', '=', '=', '=', '= +window', '=', '=', '='],
  'window ends (same failure)': ['!', '!', '!', '!', 'cancelled +refund', '=', '=', '='],
  'slot begins, video ready': ['expiring +close', 'expiring +close', '=', 'expired', 'served', '=', '=', '='],
  'slot begins, no video': ['expiring +close', 'expiring +close', '=', 'expired', 'cancelled +refund', '=', '=', '='],
  'refund fails for good': ['!', '!', '!', '!', '!', '= +manual', '= +manual', '= +manual'],
  'hold again, same key': [
    '= replay',
    '= replay',
    '= replay',
    '= replay',
    '= replay',
    '= replay',
    '= replay',
    '= replay',
  ],
  'hold by another': ['taken', 'settling', 'settling', 'taken', 'taken', 'taken', 'free', 'free'],
};

export type ReservationEffect =
  | 'adopt'
  | 'alert'
  | 'close'
  | 'freeze'
  | 'mail'
  | 'manual'
  | 'refund'
  | 'refund 2nd'
  | 'thaw'
  | 'window';

export type Ruling =
  | { readonly kind: 'move'; readonly to: ReservationStatus; readonly effect?: ReservationEffect }
  | { readonly kind: 'stay'; readonly effect?: ReservationEffect }
  | { readonly kind: 'late-money' }
  | { readonly kind: 'unruled' }
  | { readonly kind: 'tell'; readonly answer: 'free' | 'ok' | 'refuse' | 'replay' | 'settling' | 'taken' };

/** The cell as a value. Pure: the same state and event always get the same answer. */
export function decideRuling(state: ReservationState, event: ReservationEvent): Ruling {
  return readCell(priorityTable[event][reservationStates.indexOf(state)] ?? '!');
}

/** Printed as it is stored, so that what is read cannot differ from what is done. */
export function printPriorityTable(): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['event', ...reservationStates]),
    line(Array.from({ length: reservationStates.length + 1 }, () => '---')),
    ...reservationEvents.map((event) => line([event, ...priorityTable[event]])),
    '',
  ].join('\n');
}

function readCell(cell: string): Ruling {
  const [word = '', rest] = splitCell(cell);
  const effect = rest === undefined ? {} : { effect: rest as ReservationEffect };
  switch (word) {
    case '!':
      return { kind: 'unruled' };
    case '=':
      return { kind: 'stay', ...effect };
    case 'lateMoney':
      return { kind: 'late-money' };
    case '= ok':
    case '= replay':
      return { kind: 'tell', answer: word.slice(2) as 'ok' | 'replay' };
    case 'free':
    case 'refuse':
    case 'settling':
    case 'taken':
      return { kind: 'tell', answer: word };
    default:
      return { kind: 'move', to: word as ReservationStatus, ...effect };
  }
}

function splitCell(cell: string): readonly [string, string | undefined] {
  const [word = '', effect] = cell.split(' +');
  return [word, effect];
}
