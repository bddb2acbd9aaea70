/** A week with something of everything: confirmed and held times, late money, a cancellation, a film that failed. */
import { bookAs } from './book-as.ts';
import type { TestServer } from './start-server.ts';

export interface FilledBookings {
  /** Reservations by what became of them. */
  readonly confirmed: number;
  readonly late: number;
}

const films = ['Koi in Autumn', 'Dance Club', 'Happy 60th, Dad', 'Kimono Loop', 'Blue Hour', 'Moon Rabbit'];

export async function fillBookings(
  server: TestServer,
  sql: (text: string) => Promise<unknown>,
): Promise<FilledBookings> {
  const confirmed: number[] = [];
  const book = async (index: number, wish: { slotNumber: number; day: number; late?: true; unpaid?: true }) => {
    const customer = await bookAs(server.url, wish.day);
    const filmTitle = films[index % films.length] ?? 'Film';
    const names = ['Kato M.', 'Mori N.', 'Ono T.', 'Endo A.', 'Lee J.', 'Sasaki'];
    const held = await customer.hold({ slotNumber: wish.slotNumber, filmTitle, name: names[index % 6] ?? 'Noda' });
    const { reservation } = (await held.json()) as { reservation: { id: number } };
    if (wish.unpaid) return reservation.id;
    const checkout = await customer.post(`/api/v1/booking/reservations/${reservation.id}/checkout`, {});
    const { sandboxSession } = (await checkout.json()) as { sandboxSession: string };
    if (wish.late) {
      const expired = "hold_expires_at = now() - interval '2 seconds'";
      await sql(`update kannuki.reservations set ${expired} where id = ${reservation.id}`);
    }
    await customer.post(`/api/v1/sandbox/checkout/${sandboxSession}`, { press: 'pay' });
    await customer.post(`/api/v1/booking/reservations/${reservation.id}/returned`, {});
    if (!wish.late) confirmed.push(reservation.id);
    return reservation.id;
  };
  let index = 0;
  for (const [day, slots] of [
    [1, [1, 2, 4, 6]],
    [2, [1, 2, 3]],
    [3, [1, 5, 7]],
    [4, [2, 3]],
  ] as const) {
    for (const slotNumber of slots) await book(index++, { slotNumber, day });
  }
  for (const [day, slotNumber, minutes] of [
    [1, 3, 5],
    [2, 4, 13],
    [3, 3, 11],
  ] as const) {
    const id = await book(index++, { slotNumber, day, unpaid: true });
    const until = `now() + interval '${minutes} minutes 12 seconds'`;
    await sql(`update kannuki.reservations set hold_expires_at = ${until} where id = ${id}`);
  }
  const late = await book(index++, { slotNumber: 5, day: 2, late: true });
  await server.post(`/api/v1/reservations/${confirmed[3]}/cancel`, {});
  const failed = `status = 'failed', failed_at = now(), failure = failure + 1`;
  await sql(`update kannuki.videos set ${failed} where id =
(select video_id from kannuki.reservations where id = ${confirmed[6]})`);
  await server.post('/api/v1/jobs/reservations.check-alerts/runs', {});
  return { confirmed: confirmed[0] ?? 0, late };
}
