// Accepting webhooks durably: signature checked, stored, answered; against the bare INSERT … ON CONFLICT of the same row.
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../dist/embedded/index.js';
import { migrate } from '../../dist/index.js';
import { postgresDatabase } from '../../dist/stores/postgres/index.js';
import { createReservations, effectTable, reservationMigrations } from '../../dist/systems/reservations/index.js';
import { stripePayments } from '../../dist/systems/reservations/providers/stripe/index.js';

export const title = 'How many signed webhooks are accepted durably per second? (PostgreSQL, fsync on, 10 connections)';

const senders = 40;
const secret = 'whsec_bench';
const bareInsert = `insert into bare_events (id, type, subject, received_at) values ($1, $2, $3::text::jsonb, now())
on conflict do nothing returning id`;

export async function run({ quick }) {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-bench-webhooks-'));
  const embedded = await openEmbedded({ dir, engine: 'postgres' });
  const database = postgresDatabase({ connectionString: embedded.url, max: 10 });
  try {
    await migrate(database, [reservationMigrations]);
    await database.query({
      text: 'create table bare_events (id text primary key, type text not null, subject jsonb not null, received_at timestamptz not null)',
    });
    const reservations = await open(database);
    let n = 0;
    const accept = async () => {
      const rawBody = eventOf(++n);
      const { duplicate, ignored } = await reservations.acceptWebhook({
        rawBody,
        signature: sign(rawBody),
        contentType: 'application/json',
      });
      if (duplicate || ignored) throw new Error('A new event was not stored.');
    };
    const bare = async () => {
      const values = [`evt_bare_${++n}`, 'checkout.session.completed', '{"kind":"session","sessionId":"cs_1"}'];
      await database.query({ text: bareInsert, name: 'bare_event', values });
    };
    const rounds = quick ? 5 : 15;
    const perRound = quick ? 500 : 2_000;
    await measure(bare, 200);
    await measure(accept, 200);
    const rates = { bare: [], accept: [] };
    for (let round = 0; round < rounds; round++) {
      rates.bare.push(await measure(bare, perRound));
      rates.accept.push(await measure(accept, perRound));
    }
    const limit = median(rates.bare);
    const ours = median(rates.accept);
    return {
      rows: [
        { what: 'bare INSERT … ON CONFLICT', 'per second': Math.round(limit), 'of the limit': 1 },
        {
          what: 'kannuki acceptWebhook (stripe signature)',
          'per second': Math.round(ours),
          'of the limit': Number((ours / limit).toFixed(2)),
        },
      ],
    };
  } finally {
    await database.close();
    await embedded.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

function eventOf(n) {
  const object = { id: `cs_${n}`, object: 'checkout.session', metadata: { kannuki: 'kannuki', reservationId: `${n}` } };
  return JSON.stringify({
    id: `evt_${n}`,
    object: 'event',
    type: 'checkout.session.completed',
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    data: { object },
  });
}

function sign(rawBody) {
  const timestamp = Math.floor(Date.now() / 1000);
  const mac = createHmac('sha256', secret).update(`${timestamp}.${rawBody}`).digest('hex');
  return `t=${timestamp},v1=${mac}`;
}

async function measure(work, count) {
  const startedMs = performance.now();
  let left = count;
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (left-- > 0) await work();
    }),
  );
  return (count * 1000) / (performance.now() - startedMs);
}

function median(list) {
  return list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

async function open(database) {
  const never = async () => {
    throw new Error('This bench sends no mail and renders nothing.');
  };
  return createReservations({
    database,
    jobs: effectTable({ database }),
    payments: await stripePayments({ secretKey: 'sk_test_bench', webhookSecrets: [secret] }),
    mail: { name: 'none', send: never },
    render: { name: 'none', submit: never, getStatus: never, readCallback: () => undefined },
    calendar: { timeZone: 'Asia/Tokyo', slots: [{ number: 1, startsAt: '21:00', lengthMinutes: 30 }] },
    price: () => ({ amount: 3000, currency: 'JPY' }),
  });
}
