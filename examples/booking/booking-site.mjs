/** Reservations put together with the sandboxes of their providers, and the routes of a small site. */
import { randomUUID } from 'node:crypto';
import { AppError, createReservations, effectTable, webhookEndpoint } from 'kannuki/reservations';
import { sandboxMail, sandboxPayments, sandboxRender } from 'kannuki/reservations/sandbox';
import { bookingPage, slotsPage } from './pages.mjs';

const timeZone = 'Asia/Tokyo';
const minute = 60_000;
const startTimes = ['18:30', '19:00', '20:00', '21:30'];

export async function bookingSite({ database, baseUrl, time }) {
  const { clock } = time;
  const schema = `"${database.schema}"`;
  const payments = sandboxPayments({
    baseUrl: `${baseUrl}/sandbox`,
    webhookUrl: `${baseUrl}/webhooks/payments`,
    clock,
    timeZone,
  });
  const mail = sandboxMail({ clock });
  const render = sandboxRender({ callbackUrl: `${baseUrl}/webhooks/renders`, durationMs: 500, clock });
  const effects = effectTable({ database });
  const reservations = createReservations({
    database,
    jobs: effects,
    payments,
    mail,
    render,
    clock,
    calendar: {
      timeZone,
      slots: startTimes.map((startsAt, i) => ({
        number: i + 1,
        startsAt,
        lengthMinutes: 10,
      })),
    },
    price: () => ({ amount: 8_800, currency: 'jpy' }),
    delayedMethods: true,
    returnUrl: (id, result) =>
      result === 'paid' ? `${baseUrl}/bookings/${id}?session={CHECKOUT_SESSION_ID}` : `${baseUrl}/bookings/${id}`,
  });
  const webhooks = webhookEndpoint({ reservations, onStored: () => void work() });
  const customers = await addCustomers(database, schema, startTimes.length);

  // What must happen by itself: effects at once, the rest by the clock. A real site gives these to `kannuki/jobs`.
  effects.start(200);
  const timers = reservations.periodic.map(({ run, everyMs }) =>
    setInterval(() => run().catch(report), Math.min(everyMs, 5_000)).unref(),
  );
  const work = async () => {
    await reservations.workEvents().catch(report);
  };
  /** After a leap in time everything that fell due meanwhile is due now. */
  const catchUp = async () => {
    for (const { run } of reservations.periodic) await run();
    await effects.runDue();
  };

  async function readBooking(id, userId) {
    const { rows } = await database.query({
      text: `select r.id, r.status, v.title, v.status as film, r.amount,
                    (extract(epoch from r.slot_starts_at) * 1000)::bigint as "startsAtMs"
             from ${schema}.reservations r join ${schema}.videos v on v.id = r.video_id
             where r.id = $1::bigint and r.user_id = $2::bigint`,
      values: [id, userId],
    });
    return rows[0];
  }

  async function route(request, url, form) {
    const cookies = new Map((request.headers.get('cookie') ?? '').split('; ').map((pair) => pair.split('=')));
    const locale = chooseLocale(url, cookies);
    const you = customers.find(({ id }) => String(id) === cookies.get('customer')) ?? customers[0];
    const actor = { kind: 'user', id: you.id, locale };
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(clock.wallMs() + 24 * 60 * minute);
    const [, section, id, act] = url.pathname.split('/');
    const key = `${request.method} /${section}${id ? '/:id' : ''}${act ? `/${act}` : ''}`;
    const remember = url.searchParams.has('lang') ? { 'set-cookie': `lang=${locale}; Path=/; SameSite=Lax` } : {};
    switch (key) {
      case 'GET /': {
        const offers = await reservations.listSlots(day, { actor });
        const content = slotsPage({ locale, customers, customer: you.id, day, offers, key: randomUUID() });
        return html(content, 200, remember);
      }
      case 'POST /book': {
        const input = {
          videoId: you.videoIds[Number(form.get('slot')) - 1],
          projectionDate: form.get('day'),
          slotNumber: Number(form.get('slot')),
          idempotencyKey: form.get('key'),
        };
        const { reservationId } = await reservations.holdSlot(input, { actor });
        return seeOther(`/bookings/${reservationId}`);
      }
      case 'GET /bookings/:id': {
        // The customer may be back before the webhook: whoever is first settles it.
        const session = url.searchParams.get('session');
        if (session) await reservations.handleCheckoutComplete({ id: session });
        const booking = await readBooking(Number(id), you.id);
        return booking ? html(bookingPage({ locale, booking }), 200, remember) : notFound();
      }
      case 'POST /bookings/:id/pay':
        return seeOther((await reservations.startCheckout(Number(id), { actor })).url);
      case 'POST /bookings/:id/cancel':
        await reservations.cancelReservation(Number(id), { actor });
        return seeOther(`/bookings/${id}`);
      case 'POST /customer':
        return seeOther('/', { 'set-cookie': `customer=${Number(form.get('id'))}; Path=/; SameSite=Lax` });
      case 'POST /time':
        await time.pass(Math.min(10_000, Math.max(0, Number(form.get('minutes')) || 0)) * minute);
        await catchUp();
        return seeOther(request.headers.get('referer') ?? '/');
      case 'POST /films/:id':
        render.failNext(3, 'fails');
        return seeOther(request.headers.get('referer') ?? '/');
      case 'GET /books': {
        const [money, races, alerts] = await Promise.all([
          reservations.auditMoney(),
          reservations.listRaces(),
          reservations.listAlerts(),
        ]);
        return Response.json({ money, races, alerts });
      }
      case 'GET /mailbox':
        return mail.handle(request);
      default:
        return notFound();
    }
  }

  return {
    payments,
    reservations,
    async fetch(request) {
      const url = new URL(request.url);
      try {
        if (url.pathname.startsWith('/sandbox/')) return await payments.handle(request);
        if (url.pathname === '/webhooks/payments') return await webhooks.payments(request);
        if (url.pathname === '/webhooks/renders') return await webhooks.renders(request);
        // Another site may make a browser send a form here; its cookie would come along.
        const origin = request.headers.get('origin');
        if (request.method === 'POST' && origin && origin !== baseUrl) return new Response(null, { status: 403 });
        const form = request.method === 'POST' ? new URLSearchParams(await request.text()) : new URLSearchParams();
        return await route(request, url, form);
      } catch (error) {
        if (!(error instanceof AppError)) report(error);
        const status = error instanceof AppError ? (error.code === 'NOT_FOUND' ? 404 : 409) : 500;
        const said = error instanceof AppError ? error.message : 'Something went wrong. It was logged.';
        return new Response(`${said}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
      }
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      payments.close();
      render.close();
      await effects.close();
    },
  };
}

/** Two customers, each with a film for every time of the evening. */
async function addCustomers(database, schema, films) {
  const customers = [];
  for (const [name, email, title] of [
    ['Hana', 'hana@example.jp', '光の川'],
    ['Ken', 'ken@example.jp', '初雪'],
  ]) {
    const { rows } = await database.query({
      text: `with u as (insert into ${schema}.users (email, name, locale) values ($1, $2, 'en') returning id)
             insert into ${schema}.videos (user_id, title) select id, $3 || ' ' || n from u, generate_series(1, $4::int) n
             returning user_id as "userId", id as "videoId"`,
      values: [email, name, title, films],
    });
    customers.push({ id: rows[0].userId, name, videoIds: rows.map(({ videoId }) => videoId) });
  }
  return customers;
}

function chooseLocale(url, cookies) {
  const locale = url.searchParams.get('lang') ?? cookies.get('lang');
  return locale === 'ja' ? 'ja' : 'en';
}

function html(content, status = 200, headers = {}) {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const fixed = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
  return new Response(content, { status, headers: { ...fixed, ...headers } });
}

function seeOther(location, headers = {}) {
  return new Response(null, { status: 303, headers: { location, ...headers } });
}

function notFound() {
  return new Response('There is no such page.\n', { status: 404, headers: { 'content-type': 'text/plain' } });
}

function report(error) {
  console.error(error);
}
