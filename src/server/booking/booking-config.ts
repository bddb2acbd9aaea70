/** Bookings as `kannuki.config.js` describes them. */
import type { Calendar, PricedSlot, ReservationSettings, SlotPrice } from '../../systems/reservations/index.ts';

export interface BookingConfig extends Partial<Omit<ReservationSettings, 'returnUrl'>> {
  /** What the place is called; customers read it. @default 'Kawabe Wall' */
  readonly name?: string;
  /** @default every half hour from 18:00 to 21:30 in Tokyo, ten minutes each */
  readonly calendar?: Calendar;
  /** @default 8,800 yen */
  readonly price?: (slot: PricedSlot) => SlotPrice | Promise<SlotPrice>;
  /** How many days ahead can be booked, today included. 1 to 366. @default 60 */
  readonly daysAhead?: number;
  /** What the renderer is given for a film: at Shotstack, timeline and output. @default its title, ten seconds long */
  readonly filmSource?: (title: string) => object;
}

const startTimes = ['18:00', '18:30', '19:00', '19:30', '20:00', '20:30', '21:00', '21:30'];

/** The practice site. */
export const bookingDefaults: Required<
  Pick<BookingConfig, 'name' | 'calendar' | 'price' | 'daysAhead' | 'filmSource'>
> = {
  name: 'Kawabe Wall',
  calendar: {
    timeZone: 'Asia/Tokyo',
    slots: startTimes.map((startsAt, index) => ({ number: index + 1, startsAt, lengthMinutes: 10 })),
  },
  price: () => ({ amount: 8_800, currency: 'jpy' }),
  daysAhead: 60,
  filmSource: (title) => ({
    timeline: { tracks: [{ clips: [{ asset: { type: 'title', text: title }, start: 0, length: 10 }] }] },
    output: { format: 'mp4', resolution: 'hd' },
  }),
};
