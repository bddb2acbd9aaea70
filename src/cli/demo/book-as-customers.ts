/**
 * Bookings in a server that runs, made as its booking page makes them: one that is kept and counts down, one that is
 * paid, and two customers who want the same time. Only with the sandbox: no real money moves in a demo.
 */
import type { Random } from '../../core/ports.ts';
import type { BookingSessionReply, CheckoutReply, DaysReply, HoldReply } from '../../server/booking-contract.ts';

export interface DemoBookings {
  /** Kept, and not paid: it ends by itself. */
  readonly held: number;
  readonly paid: number;
  /** What the second of two customers was told. */
  readonly refused: string;
}

const locale = 'en';

/** Undefined: the server has no bookings, no sandbox, or no three free times. */
export async function bookAsCustomers(url: string, random: Random): Promise<DemoBookings | undefined> {
  const [aoi, ben, chie] = [await visit(url), await visit(url), await visit(url)];
  if (!aoi || !ben || !chie) return undefined;
  const { days } = (await (await aoi.get('/api/v1/booking/days')).json()) as DaysReply;
  // Not today: those times run out while somebody looks.
  const free = days
    .slice(1)
    .flatMap(({ date, slots }) =>
      slots
        .filter(({ availability }) => availability === 'free')
        .map(({ slotNumber }) => ({ projectionDate: date, slotNumber })),
    );
  const [first, second, third] = free;
  if (!first || !second || !third) return undefined;
  const hold = (who: Customer, name: string, filmTitle: string, at: object): Promise<Response> =>
    who.post('/api/v1/booking/hold', {
      ...at,
      idempotencyKey: newKey(random),
      filmTitle,
      name,
      email: `${name.toLowerCase()}@example.jp`,
      locale,
    });
  const held = await idOf(await hold(aoi, 'Aoi', 'River of Lights', first));
  const paid = await idOf(await hold(ben, 'Ben', 'First Snow', second));
  if (held === undefined || paid === undefined) return undefined;
  const checkout = (await (
    await ben.post(`/api/v1/booking/reservations/${paid}/checkout`, { locale })
  ).json()) as CheckoutReply;
  await ben.post(`/api/v1/sandbox/checkout/${checkout.sandboxSession}`, { press: 'pay' });
  const answers = await Promise.all([hold(chie, 'Chie', 'Moon Rabbit', third), hold(aoi, 'Aoi', 'Quick', third)]);
  const lost = answers.find(({ ok }) => !ok);
  const { detail = '' } = lost ? ((await lost.json()) as { readonly detail?: string }) : {};
  return { held, paid, refused: detail };
}

interface Customer {
  get(path: string): Promise<Response>;
  post(path: string, body: object): Promise<Response>;
}

async function visit(url: string): Promise<Customer | undefined> {
  const begun = await fetch(`${url}/api/v1/booking/session`, { method: 'POST', headers: { origin: url } });
  if (!begun.ok) return undefined;
  const { sandbox } = (await begun.json()) as BookingSessionReply;
  const cookie = (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  if (!sandbox || cookie === '') return undefined;
  return {
    get: (path) => fetch(`${url}${path}`, { headers: { cookie } }),
    post: (path, body) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, origin: url },
        body: JSON.stringify(body),
      }),
  };
}

async function idOf(response: Response): Promise<number | undefined> {
  return response.ok ? ((await response.json()) as HoldReply).reservation.id : undefined;
}

/** A UUID of version 4, as the booking page makes one for each wish. */
function newKey(random: Random): string {
  const hex = random.hex(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}
