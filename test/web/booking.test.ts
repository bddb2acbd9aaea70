/** Bookings on the real server and a real browser: races, late money, double cancels, both languages, phones. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../src/core/ports.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { bookAs, type TestCustomer } from './book-as.ts';
import { startServer, type TestServer } from './start-server.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

const hostile = '<img src=x onerror="window.hacked=1">"><script>window.hacked=1</script>';

describe('bookings', () => {
  let postgres: PostgresServer;
  let database: SqlDatabase;
  let receiver: Server;
  let server: TestServer;
  let browser: TestBrowser;
  let page: Page;
  let watched: WatchedPage;
  let other: TestCustomer;
  const told: { readonly state: string; readonly id: string }[] = [];
  let refusals = 1;
  let onTold: () => void = () => {};

  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (refusals > 0) {
        refusals--;
        response.writeHead(503).end();
        return;
      }
      const { state, id } = JSON.parse(body) as { state: string; id: string };
      told.push({ state, id });
      response.writeHead(202).end();
      onTold();
    });
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    const alertUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    postgres = await startPostgres({ major: 18 });
    database = postgresDatabase({ connectionString: postgres.url });
    [server, browser] = await Promise.all([
      startServer({ DATABASE_URL: postgres.url, KANNUKI_ALERT_WEBHOOK_URL: alertUrl }),
      launchChromium(),
    ]);
    page = await browser.openTab('about:blank');
    page.setDefaultTimeout(60_000);
    watched = watchPage(page);
    other = await bookAs(server.url);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await database?.close();
    await postgres?.stop();
    receiver.closeAllConnections();
    await new Promise((closed) => receiver.close(closed));
  });

  const rows = async (sql: string): Promise<readonly Record<string, unknown>[]> =>
    (await database.query<Record<string, unknown>>({ text: sql.replaceAll('@', `"${database.schema}".`) })).rows;
  const runJob = (name: string): Promise<Response> => server.post(`/api/v1/jobs/${name}/runs`, {});
  const fillIn = async (film: string): Promise<void> => {
    await page.goto(`${server.url}/book`);
    await page.getByLabel('Title of your film').fill(film);
    await page.getByLabel('Your name').fill('Hana');
    await page.getByLabel('E-mail').fill('hana@example.jp');
    // Tomorrow: every time of it is still to come.
    await page.locator('.days button').nth(1).click();
  };
  const keep = async (film: string, time: string): Promise<number> => {
    await fillIn(film);
    await page.getByRole('radio', { name: new RegExp(`^${time}`) }).click();
    await page.getByRole('button', { name: 'Keep it for 15 minutes' }).click();
    await page.getByText('Kept for you').waitFor();
    return Number(new URL(page.url()).pathname.split('/').at(-1));
  };
  const pay = async (): Promise<void> => {
    await page.getByRole('button', { name: /^Pay ¥/ }).click();
    await page.getByRole('heading', { name: 'Booked.' }).waitFor();
  };

  it('lets nobody in without the cookie, nobody act from elsewhere, and shows nobody else’s booking', async () => {
    const path = `${server.url}/api/v1/booking/reservations`;
    expect((await fetch(path)).status).toBe(401);
    expect((await fetch(path, { headers: { cookie: `${other.cookie.slice(0, -3)}abc` } })).status).toBe(401);
    expect((await other.post('/api/v1/booking/hold', {}, 'http://elsewhere.example')).status).toBe(403);
    const held = await other.hold({ slotNumber: 1, filmTitle: 'Moon Rabbit' });
    const { reservation } = (await held.json()) as { reservation: { id: number } };
    const stranger = await bookAs(server.url);
    await stranger.hold({ slotNumber: 2, filmTitle: 'Elsewhere' });
    for (const act of ['', '/cancel', '/checkout', '/returned']) {
      const own = `/api/v1/booking/reservations/${reservation.id}${act}`;
      const answer = act === '' ? await stranger.get(own) : await stranger.post(own, {});
      expect(answer.status).toBe(404);
    }
    expect(await rows(`select status from @reservations where id = ${reservation.id}`)).toEqual([{ status: 'hold' }]);
  });

  it('answers the same key alike, and another wish under it with 422', async () => {
    const idempotencyKey = crypto.randomUUID();
    const wish = { slotNumber: 3, filmTitle: 'Twice', idempotencyKey };
    const [first, second] = await Promise.all([other.hold(wish), other.hold(wish)]);
    const [a, b] = (await Promise.all([first.json(), second.json()])) as { reservation: { id: number } }[];
    expect(a?.reservation.id).toBe(b?.reservation.id);
    expect([first.status, second.status].sort()).toEqual([200, 201]);
    expect((await other.hold({ ...wish, slotNumber: 4 })).status).toBe(422);
  });

  it('refuses what is no webhook, and changes nothing', async () => {
    const body = JSON.stringify({ id: 'evt_1', type: 'checkout.session.completed', data: { object: {} } });
    const post = (path: string, headers: Record<string, string>, text = body): Promise<Response> =>
      fetch(`${server.url}${path}`, { method: 'POST', headers, body: text });
    const json = { 'content-type': 'application/json' };
    const signed = { ...json, 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` };
    const answers = [
      await post('/webhooks/stripe', json),
      await post('/webhooks/stripe', signed),
      await post('/webhooks/stripe', { 'content-type': 'text/plain' }),
      await post('/webhooks/stripe', signed, 'x'.repeat(300_000)),
      await post('/webhooks/stripe', signed, 'x'.repeat(1_100_000)),
      await post(`/webhooks/shotstack/${'0'.repeat(64)}?video=1&attempt=1&token=${'x'.repeat(32)}`, json),
      await fetch(`${server.url}/webhooks/stripe`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 415, 413, 413, 404, 405]);
    expect(await rows('select count(*)::integer as n from @stripe_events')).toEqual([{ n: 0 }]);
  });

  it('tells the second of two customers at once, with what is free instead', async () => {
    await fillIn('River of Lights');
    await page.getByRole('radio', { name: /^19:30/ }).click();
    // The other one is quicker by less than this page's next look.
    expect((await other.hold({ slotNumber: 4, filmTitle: 'Quick' })).status).toBe(201);
    await page.getByRole('button', { name: 'Keep it for 15 minutes' }).click();
    const note = page.getByRole('alert');
    await note.getByText('19:30 was taken a moment ago.').waitFor();
    expect(await note.textContent()).toContain('You have not been charged. 20:00, 20:30 and 21:00');
    expect(await page.getByRole('radio', { name: /^19:30/ }).textContent()).toContain('Just taken');
    expect(await page.getByLabel('Title of your film').inputValue()).toBe('River of Lights');
  });

  it('keeps, declines, pays, confirms and mails', async () => {
    const id = await keep('River of Lights', '20:00');
    expect(await watched.findBarriers()).toEqual([]);
    await page.getByLabel('Card number').fill('4000 0000 0000 0002');
    await page.getByRole('button', { name: /^Pay ¥/ }).click();
    await page.getByText('The card was declined.').waitFor();
    await page.getByLabel('Card number').fill('4242 4242 4242 4242');
    await pay();
    await page.getByText('Mail sent to hana@example.jp').waitFor();
    expect(await rows(`select status from @reservations where id = ${id}`)).toEqual([{ status: 'confirmed' }]);
  });

  it('refunds and explains when the time ran out while paying', async () => {
    const id = await keep('First Snow', '20:30');
    const checkout = await page.evaluate(async (booking) => {
      const headers = { 'content-type': 'application/json' };
      const path = `/api/v1/booking/reservations/${booking}/checkout`;
      return (await (await fetch(path, { method: 'POST', headers, body: '{}' })).json()) as { url: string };
    }, id);
    await page.goto(`${server.url}${checkout.url}`);
    await page.getByRole('button', { name: 'Pay ¥8,800' }).waitFor();
    await rows(`update @reservations set hold_expires_at = now() - interval '3 seconds' where id = ${id}`);
    await page.getByRole('button', { name: 'Pay ¥8,800' }).click();
    await page.getByRole('heading', { name: 'The time ran out just before your payment arrived.' }).waitFor();
    await page.getByText('We gave back ¥8,800 at once.').waitFor();
    await page.getByText('Refunded in full').waitFor();
    await page.getByText('¥8,800 sent back to your card').waitFor();
    await page.getByText(/^Your payment arrived, \d+ seconds? later$/).waitFor();
    expect(await watched.findBarriers()).toEqual([]);
    expect(await rows(`select scenario, resolution from @race_log where reservation_id = ${id}`)).toEqual([
      { scenario: 'EXPIRED_AFTER_PAYMENT', resolution: 'REFUNDED' },
    ]);
  });

  it('makes one refund of however many presses', async () => {
    const id = await keep('Twice cancelled', '21:00');
    await pay();
    await page.getByRole('button', { name: 'Cancel and refund…' }).first().click();
    expect(await watched.findBarriers()).toEqual([]);
    const [first] = await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith('/cancel')),
      page.getByRole('button', { name: 'Cancel and refund ¥8,800' }).dblclick(),
    ]);
    expect(first.status()).toBe(200);
    await page.getByRole('heading', { name: 'Cancelled. ¥8,800 is on its way back.' }).waitFor();
    const again = await page.evaluate(async (booking) => {
      const press = (): Promise<Response> =>
        fetch(`/api/v1/booking/reservations/${booking}/cancel`, { method: 'POST' });
      return (await Promise.all([press(), press(), press()])).map(({ status }) => status);
    }, id);
    expect(again).toEqual([200, 200, 200]);
    await page.getByText('Refunded in full').waitFor();
    expect(await rows('select count(*)::integer as n from @refunds where cause = $$cancelled$$')).toEqual([{ n: 1 }]);
    expect(await rows(`select scenario from @race_log where reservation_id = ${id}`)).toEqual([
      { scenario: 'DUPLICATE_CANCEL' },
    ]);
  });

  it('tells an alert once although the receiver was down, and its end once', async () => {
    const [row] = await rows("select video_id from @reservations where status = 'confirmed' limit 1");
    const video = `@videos set status = 'failed', failed_at = now(), failure = failure + 1`;
    await rows(`update ${video} where id = ${row?.video_id}`);
    const heard = (count: number): Promise<void> =>
      new Promise((resolve) => {
        onTold = () => told.length >= count && resolve();
        onTold();
      });
    await runJob('reservations.check-alerts');
    await heard(1);
    await page.goto(server.signInUrl);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.goto(`${server.url}/races`);
    await page.locator('.note[data-state=critical]').first().waitFor();
    await page.goto(`${server.url}/reservations?problems=true`);
    await page.getByRole('link', { name: /20:00/ }).click();
    await page.getByRole('button', { name: 'Mark as fixed…' }).click();
    await page.getByLabel('Address of the film').fill('https://films.example.jp/river.mp4');
    await page.getByRole('button', { name: 'Mark as fixed', exact: true }).click();
    await page.getByText('The film is ready.').waitFor();
    await runJob('reservations.check-alerts');
    await heard(2);
    await runJob('reservations.check-alerts');
    expect(told.map(({ state }) => state)).toEqual(['open', 'closed']);
    expect(told[0]?.id).toBe(told[1]?.id);
  });

  it('lets the house watch the week, find a booking, read its mail and cancel it', async () => {
    const held = await other.hold({ slotNumber: 8, filmTitle: hostile, name: hostile });
    const { reservation } = (await held.json()) as { reservation: { id: number } };
    await page.goto(`${server.url}/reservations`);
    await page.getByRole('link', { name: /^Hold/ }).filter({ hasText: '<img' }).waitFor();
    await page.getByLabel('Find a title').fill('onerror');
    await page.getByRole('link', { name: /21:30/ }).click();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('button', { name: 'Cancel the booking' }).click();
    await page.getByText('Cancelled by local. Nothing had been charged.').waitFor();
    await page.goto(`${server.url}/mailbox`);
    await page.locator('.mailp').getByText('<img').first().waitFor();
    const customer = (await (await other.get(`/api/v1/booking/reservations/${reservation.id}`)).json()) as {
      reservation: { state: string };
    };
    expect(customer.reservation.state).toBe('cancelled');
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  });

  it('sends a mail once more, however often it is pressed', async () => {
    const [last] = await rows(
      "select id, reservation_id from @notifications where state = 'sent' and key not like '%again%' order by id desc limit 1",
    );
    const repeats = `select count(*)::integer as n from @notifications
      where reservation_id = ${last?.reservation_id} and key like '%:again:%'`;
    await page.goto(`${server.url}/reservations/${last?.reservation_id}`);
    await page.getByRole('button', { name: 'Send the mail again…' }).click();
    expect(await watched.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Send it again' }).dblclick();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // While it waits to be sent, a second wish is the same one.
    await Promise.all([1, 2, 3].map(() => server.post(`/api/v1/notifications/${last?.id}/again`, {})));
    await expect.poll(async () => (await rows(`${repeats} and state = 'sent'`))[0]?.n).toBeGreaterThan(0);
    const sent = Number((await rows(repeats))[0]?.n);
    await page.goto(`${server.url}/mailbox`);
    await page.getByRole('button', { name: 'Send again…' }).click();
    await page.getByRole('button', { name: 'Send it again' }).click();
    await expect
      .poll(
        async () => (await rows("select count(*)::integer as n from @notifications where key like '%:again:%'"))[0]?.n,
      )
      .toBe(sent + 1);
    await page.getByRole('link', { name: 'Open the story' }).click();
    await page.getByRole('heading', { name: 'In short' }).waitFor();
    await page.getByRole('link', { name: 'Sandbox: payments, mail, films' }).waitFor();
  });

  it('plays the payment company: declines, lets somebody pay later, and lets the store pay', async () => {
    const held = await other.hold({ slotNumber: 7, filmTitle: 'Slip' });
    const { reservation } = (await held.json()) as { reservation: { id: number } };
    await other.post(`/api/v1/booking/reservations/${reservation.id}/checkout`, {});
    await page.goto(`${server.url}/checkout`);
    const row = page.getByRole('row').filter({ hasText: 'Slip' });
    const press = async (word: string): Promise<void> => {
      await Promise.all([
        page.waitForResponse((answer) => answer.url().includes('/sandbox/sessions/') && answer.ok()),
        row.getByRole('button', { name: word, exact: true }).click(),
      ]);
    };
    await press('Decline');
    await row.getByText('open', { exact: true }).waitFor();
    await press('Pay later');
    await row.getByText('waits for the store').waitFor();
    await press('Store pays');
    await row.getByText('paid', { exact: true }).waitFor();
    const status = `select status from @reservations where id = ${reservation.id}`;
    await expect.poll(async () => (await rows(status))[0]?.status).toBe('confirmed');
  });

  describe('in Japanese, on a phone', () => {
    let quick: TestCustomer;
    let paid = 0;
    beforeAll(async () => {
      quick = await bookAs(server.url, 3);
      await page.setViewportSize({ width: 380, height: 900 });
      await page.evaluate(() => localStorage.setItem('kannuki-language', 'ja'));
    });
    afterAll(() => page.evaluate(() => localStorage.setItem('kannuki-language', 'en')));

    const choose = async (time: string): Promise<void> => {
      await page.goto(`${server.url}/book`);
      await page.getByLabel('動画のタイトル').fill('光の川');
      await page.getByLabel('お名前').fill('田中 花');
      await page.getByLabel('メールアドレス').fill('hana@example.jp');
      await page.locator('.days button').nth(3).click();
      await page.getByRole('radio', { name: new RegExp(`^${time}`) }).click();
    };
    const keepIt = (): Promise<void> => page.getByRole('button', { name: /を15分間おさえて進む$/ }).click();
    const keepTime = async (time: string): Promise<number> => {
      await choose(time);
      await keepIt();
      await page.getByText('この枠をおさえています').waitFor();
      return Number(new URL(page.url()).pathname.split('/').at(-1));
    };
    const ends = (id: number, when: string): Promise<unknown> =>
      rows(`update @reservations set hold_expires_at = now() + interval '${when}' where id = ${id}`);

    it('tells who comes second what is free, and who meets an unsettled payment to wait', async () => {
      await choose('19:30');
      expect((await quick.hold({ slotNumber: 4, filmTitle: 'Quick' })).status).toBe(201);
      await keepIt();
      const note = page.getByRole('alert');
      await note.getByText('19:30 の枠は、ほかの方が先に予約しました。').waitFor();
      expect(await note.textContent()).toContain(
        'お支払いは発生していません。同じ日の 18:00、18:30 と 19:00 は空いています。',
      );
      await choose('18:30');
      const held = await quick.hold({ slotNumber: 2, filmTitle: 'Unsettled' });
      const { reservation } = (await held.json()) as { reservation: { id: number } };
      await quick.post(`/api/v1/booking/reservations/${reservation.id}/checkout`, {});
      await ends(reservation.id, '-1 second');
      await keepIt();
      await note.getByText(/この枠は確認中です。|ほかの方が先に予約しました。/).waitFor();
      expect(await watched.findBarriers()).toEqual([]);
    });

    it('keeps with a countdown, warns, declines, pays and confirms', async () => {
      paid = await keepTime('20:00');
      await page.getByRole('timer', { name: /^残り14分\d+秒$/ }).waitFor();
      await page.getByText(/^\d+月\d+日（.）20:00〜20:10$/).waitFor();
      await ends(paid, '100 seconds');
      await page.getByText('残り2分を切りました。').waitFor();
      await page.getByLabel('カード番号').fill('4000 0000 0000 0002');
      await page.getByRole('button', { name: '8,800円を支払う' }).click();
      await page.getByText('カードが使えませんでした。').waitFor();
      await page.getByLabel('カード番号').fill('4242 4242 4242 4242');
      await page.getByRole('button', { name: '8,800円を支払う' }).click();
      await page.getByRole('heading', { name: 'ご予約が確定しました。' }).waitFor();
    });

    it('cancels from the list, once, and tells when it is too late', async () => {
      await page.goto(`${server.url}/book/mine`);
      await page.getByRole('button', { name: '取り消して返金を受ける…' }).first().click();
      await rows(`update @reservations set slot_starts_at = now() - interval '1 second' where id = ${paid}`);
      const doIt = page.getByRole('button', { name: '取り消して 8,800円 の返金を受ける' });
      await doIt.click();
      await page.getByRole('alert').getByText('このご予約は取り消せません。').waitFor();
      await rows(`update @reservations set slot_starts_at = now() + interval '3 days' where id = ${paid}`);
      await doIt.dblclick();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.goto(`${server.url}/book/${paid}`);
      await page.getByRole('heading', { name: '取り消しました。8,800円 を返金します。' }).waitFor();
      await page.getByText('全額返金済み').waitFor();
      expect(
        await rows(`select count(*)::integer as n from @refunds f join @payments p on p.id = f.payment_id
          where p.reservation_id = ${paid}`),
      ).toEqual([{ n: 1 }]);
    });

    it('explains a time that ran out, and the refund where somebody paid too late', async () => {
      const unpaid = await keepTime('20:30');
      await ends(unpaid, '-1 second');
      // Whoever wants the slot sets its end going; the sweep would come within a minute.
      await quick.hold({ slotNumber: 6, filmTitle: 'Next' });
      await page.getByRole('heading', { name: '15分の期限が切れました。' }).waitFor();
      await page.getByText('お支払いは発生していません。').waitFor();
      const late = await keepTime('21:00');
      await page.evaluate(async (booking) => {
        const headers = { 'content-type': 'application/json' };
        const path = `/api/v1/booking/reservations/${booking}/checkout`;
        const { url } = (await (await fetch(path, { method: 'POST', headers, body: '{}' })).json()) as { url: string };
        location.assign(url);
      }, late);
      const pay = page.getByRole('button', { name: '8,800円 を支払う' });
      await pay.waitFor();
      await ends(late, '-3 seconds');
      await pay.click();
      await page.getByRole('heading', { name: 'お支払いの直前に、おさえていた時間が切れました。' }).waitFor();
      await page.getByText('8,800円 はすぐに全額返金しました。').waitFor();
      await page.getByText(/^\d+秒遅れて、お支払いが届きました$/).waitFor();
      await page.getByText('8,800円をカードへ返金しました').waitFor();
      await page.getByText('同じ日の空いている枠').waitFor();
      expect(await watched.findBarriers()).toEqual([]);
    });
  });

  describe.each([
    [1280, 'light', 'en'],
    [380, 'dark', 'ja'],
  ] as const)('at %i px, %s, %s', (width, theme, language) => {
    beforeAll(async () => {
      // Whatever came before, the newest mail has words longer than any screen in all it has.
      const word = (letter: string): string => `'${letter.repeat(2_000)}'`;
      await rows(`insert into @sandbox_mails (message_id, recipient, template, locale, subject, body, at)
        values ('${width}' || ${['m', 'r', 't'].map(word)}, '${language}', ${['s', 'b'].map(word)}, now())`);
    });

    it.each([
      ['/book', { en: 'Your film', ja: 'あなたの動画' }],
      ['/book/mine', { en: 'My bookings', ja: '予約の確認' }],
      ['/reservations', { en: 'Reservations', ja: '予約' }],
      ['/reservations/1', { en: 'slot 1', ja: '枠1' }],
      ['/races', { en: 'Races & alerts', ja: '競合と警告' }],
      ['/mailbox', { en: 'Mailbox', ja: 'メールボックス' }],
      ['/checkout', { en: 'Checkout', ja: 'お支払いページ' }],
    ])('%s has no barrier and fits', async (path, title) => {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(
        ([wanted, words]) => {
          localStorage.setItem('kannuki-theme', wanted);
          localStorage.setItem('kannuki-language', words);
        },
        [theme, language] as const,
      );
      await page.goto(`${server.url}${path}`);
      await page.getByRole('heading', { level: 1, name: title[language] }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await watched.findBarriers()).toEqual([]);
      for (const narrow of width === 380 ? [380, 320] : [1280]) {
        await page.setViewportSize({ width: narrow, height: 900 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(narrow);
      }
    });
  });

  it('said nothing to the console but the refusal that was asked for, and kept the books', async () => {
    expect(watched.complaints.filter((text) => !/status of (400|409)/.test(text))).toEqual([]);
    const money = await server.get('/api/v1/money');
    expect(await money.json()).toMatchObject({ balanced: true, offending: [] });
  });
});
