/** A booking from the first look to its refund: every answer on the way is compared with its description, field by field. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bookingRoutes } from '../../src/server/booking-routes.ts';
import { type CheckedApp, checkedApp } from '../servers/checked-app.ts';
import { type AccessServer, secrets, startAccessServer, wideLimits } from './access-server.ts';

let server: AccessServer;
let app: CheckedApp;
beforeAll(async () => {
  server = await startAccessServer({ limits: wideLimits });
  app = checkedApp(server.app);
});
afterAll(() => server?.close());

// biome-ignore lint/suspicious/noExplicitAny: answers are checked by their schemas; here they are only looked into.
type Json = any;

async function ask(method: 'GET' | 'POST', path: string, who: 'customer' | 'house', body?: object): Promise<Json> {
  const headers: Record<string, string> =
    who === 'house'
      ? { authorization: `Bearer ${secrets.admin}` }
      : { host: 'test', cookie: server.customerCookie, 'sec-fetch-site': 'same-origin' };
  if (body) headers['content-type'] = 'application/json';
  const request = new Request(`http://test/api/v1${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await app.fetch(request, '127.0.0.1');
  const json = await response.json();
  expect(response.ok, `${method} ${path}: ${JSON.stringify(json)}`).toBe(true);
  return json;
}

it('every answer is as described, from the first look to the refund', async () => {
  await ask('POST', '/booking/session', 'customer', {});
  const { days } = await ask('GET', '/booking/days?days=31', 'customer');
  const free: { projectionDate: string; slotNumber: number }[] = days
    .slice(1)
    .flatMap(({ date, slots }: Json) =>
      slots
        .filter(({ availability }: Json) => availability === 'free')
        .map(({ slotNumber }: Json) => ({ projectionDate: date, slotNumber })),
    );
  const hold = async (n: number): Promise<number> =>
    (
      await ask('POST', '/booking/hold', 'customer', {
        ...free[n],
        idempotencyKey: `00000000-0000-4000-8000-00000000000${n}`,
        filmTitle: 'River of Lights',
        name: 'Aoi',
        email: 'aoi@example.jp',
        locale: 'ja',
      })
    ).reservation.id;
  const [paid, left, dropped] = [await hold(0), await hold(1), await hold(2)];
  await ask('GET', '/booking/days?days=31', 'customer');
  await ask('GET', '/slots?days=31', 'house');
  const { sandboxSession } = await ask('POST', `/booking/reservations/${paid}/checkout`, 'customer', {});
  await ask('GET', `/sandbox/checkout/${sandboxSession}`, 'customer');
  await ask('POST', `/sandbox/checkout/${sandboxSession}`, 'customer', { press: 'pay' });
  const back = await ask('POST', `/booking/reservations/${paid}/returned`, 'customer', {});
  expect(back.reservation.state).toBe('confirmed');
  const other = await ask('POST', `/booking/reservations/${left}/checkout`, 'customer', {});
  const declined = await ask('POST', `/sandbox/sessions/${other.sandboxSession}`, 'house', { press: 'fail' });
  expect(declined.declined).toBe(true);
  await ask('POST', `/booking/reservations/${dropped}/cancel`, 'customer', {});
  await ask('POST', '/sandbox', 'house', { deliveries: { copies: 2 }, failRenders: 1 });
  expect((await ask('GET', '/sandbox', 'house')).sessions).toHaveLength(2);

  expect(await ask('POST', `/reservations/${paid}/cancel`, 'house', {})).toMatchObject({ status: 'cancelled' });
  const { story } = await ask('GET', `/reservations/${paid}`, 'house');
  expect(story.refunds).toMatchObject([{ cause: 'cancelled' }]);
  expect(story.mails.length).toBeGreaterThan(0);
  const again = await ask('POST', `/notifications/${story.mails[0].id}/again`, 'house', {});
  expect(again.template).toBe(story.mails[0].template);
  const refund = await ask('POST', `/payments/${story.payments[0].id}/refund`, 'house', {});
  expect(refund.amount).toBe(story.payments[0].amount);
  const { rows } = await server.database.query<{ id: number }>({
    text: `insert into kannuki.videos (user_id, title, status, failed_at)
select user_id, 'film', 'failed', now() from kannuki.reservations limit 1 returning id`,
  });
  await ask('POST', `/videos/${rows[0]?.id}/fixed`, 'house', { renderUrl: 'https://films.example/1.mp4' });
  await server.database.query({
    text: `insert into kannuki.race_log (scenario, resolution, timestamp) values ('SLOT_CONFLICT', 'REFUNDED', now())`,
  });
  await server.database.query({
    text: `insert into kannuki.alerts (rule, subject, level, opened_at) values ('dispute', 'payment:1', 'critical', now())`,
  });
  expect((await ask('GET', '/booking/reservations', 'customer')).reservations).toHaveLength(3);
  expect((await ask('GET', `/booking/reservations/${paid}`, 'customer')).reservation.steps.length).toBeGreaterThan(1);
  expect((await ask('GET', '/reservations', 'house')).reservations).toHaveLength(3);
  expect((await ask('GET', '/races', 'house')).races).toHaveLength(1);
  expect((await ask('GET', '/alerts', 'house')).alerts).toHaveLength(1);
  await ask('GET', '/mails', 'house');
  expect(await ask('GET', '/money', 'house')).toMatchObject({ balanced: true });

  const webhooks = (path: string): boolean => path.startsWith('/webhooks/');
  const missing = bookingRoutes
    .filter(({ path }) => !webhooks(path))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((name) => !app.answered.has(name));
  expect(missing).toEqual([]);
});
