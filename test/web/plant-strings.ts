/** Hostile strings wherever somebody's text may come to: names, payloads, errors, logs, reasons, films, mails, alerts. */
import type { Page } from 'playwright-core';
import type { LivingServer } from './living-server.ts';

export interface Planted {
  /** A run that goes on. */
  readonly runningId: number;
  /** A run that ended, with all strings in everything it has. */
  readonly endedId: number;
  /** Reservations of this browser's customer: one that counts down, and one whose film failed. */
  readonly heldId: number;
  readonly failedId: number;
  readonly leaseKey: string;
}

export async function plantStrings(server: LivingServer, page: Page, strings: readonly string[]): Promise<Planted> {
  const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
  const values = `(values ${strings.map((text, at) => `(${at}, ${literal(text)})`).join(', ')}) as v(at, text)`;
  const payload = Object.fromEntries(strings.map((text, at) => [`${at} ${text}`, text]));
  const started = await server.post('/api/v1/jobs/stream.follow/runs', { payload: { text: strings[0] } });
  const { runId: runningId } = (await started.json()) as { runId: number };
  const [ended] = await server.sql<{ id: number }>(`select max(id) as id from kannuki.job_run_history`);
  const endedId = ended?.id ?? 0;
  await server.sql(`update kannuki.job_run_history set payload = ${literal(JSON.stringify(payload))}::json,
    result = ${literal(JSON.stringify(strings))}::json, error = ${literal(strings.join(' '))} where id = ${endedId}`);
  await server.sql(`insert into kannuki.job_run_logs (run_id, part, lines, attempt, body)
    values (${endedId}, 900, ${strings.length}, 9, ${literal(strings.map((text) => text.replaceAll('\n', ' ')).join('\n'))})`);
  await server.sql(`update kannuki.job_run_history h set error = v.text, state = 'FAILED'
    from ${values} where h.id = ${endedId} - 1 - v.at`);
  await server.sql(`insert into kannuki.audit (actor, action, target, before, after, why)
    select text, text, text, to_json(text), null, text from ${values}`);
  await server.sql(`insert into kannuki.workers (name, state) select text, 'DRAINING' from ${values}`);
  await server.sql(`insert into kannuki.job_definitions (name, queue_id, event)
    select distinct text, 1, text from ${values} where length(text) < 200`);
  await server.sql(`insert into kannuki.sandbox_mails (message_id, recipient, template, locale, subject, body, at)
    select text, text, text, 'en', text, text, now() from ${values}`);
  const keys = strings.filter((text) => text.length < 500);
  await inEights(keys, (key) => server.post('/api/v1/leases/acquire', { key, ttlMs: 600_000 }));
  const held = await book(server, page, strings);
  const [failedId = 0, heldId = 0] = held;
  const headers = { origin: server.url };
  const own = `${server.url}/api/v1/booking/reservations/${failedId}`;
  const checkout = await page.request.post(`${own}/checkout`, { headers, data: {} });
  const { sandboxSession } = (await checkout.json()) as { sandboxSession: string };
  const pay = `${server.url}/api/v1/sandbox/checkout/${sandboxSession}`;
  await page.request.post(pay, { headers, data: { press: 'pay' } });
  await page.request.post(`${own}/returned`, { headers, data: {} });
  // Its render would put it right.
  const rendered = `select 1 from kannuki.reservations r join kannuki.videos v on v.id = r.video_id
    where r.id = ${failedId} and v.status = 'ready'`;
  while ((await server.sql(rendered)).length === 0) await new Promise((later) => setTimeout(later, 50));
  await server.sql(`update kannuki.videos set status = 'failed', failed_at = now(), failure = failure + 1
    where id = (select video_id from kannuki.reservations where id = ${failedId})`);
  await server.post('/api/v1/jobs/reservations.check-alerts/runs', {});
  return { runningId, endedId, heldId, failedId, leaseKey: keys[0] ?? '' };
}

/** This browser's customer books them all, eight a day, as films and as names. Those that are no single line are refused. */
async function book(server: LivingServer, page: Page, strings: readonly string[]): Promise<readonly number[]> {
  const headers = { origin: server.url };
  await page.request.post(`${server.url}/api/v1/booking/session`, { headers, data: {} });
  const ids: number[] = [];
  await inEights([...strings.entries()], async ([index, text]) => {
    const day = new Date(Date.now() + (2 + Math.floor(index / 8)) * 86_400_000).toISOString().slice(0, 10);
    const answer = await page.request.post(`${server.url}/api/v1/booking/hold`, {
      headers,
      data: {
        idempotencyKey: crypto.randomUUID(),
        projectionDate: day,
        slotNumber: (index % 8) + 1,
        filmTitle: text.slice(0, 120),
        name: text.slice(0, 80),
        email: 'hana@example.jp',
        locale: 'en',
      },
    });
    if (answer.status() === 201) ids.push(((await answer.json()) as { reservation: { id: number } }).reservation.id);
    else if (answer.status() !== 400) throw new Error(`${answer.status()} for ${JSON.stringify(text)}`);
  });
  return ids.toSorted((a, b) => a - b);
}

async function inEights<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += 8) await Promise.all(items.slice(at, at + 8).map(act));
}
