// Holding a free slot, against the bare INSERT … ON CONFLICT through the same driver and pool in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../../dist/embedded/index.js';
import { migrate } from '../../dist/index.js';
import { postgresDatabase } from '../../dist/stores/postgres/index.js';
import { createReservations, effectTable, reservationMigrations } from '../../dist/systems/reservations/index.js';

export const title =
  'How many slots can be held per second, by 20 buyers at once, each another slot? (PostgreSQL, fsync on, 10 connections)';

const buyers = 20;
const slotsOfDay = 500;
const bareInsert = `insert into bare_holds (day, slot, buyer, key, expires_at)
values ($1, $2, $3, $4, now() + interval '15 minutes') on conflict do nothing returning id`;

export async function run({ quick }) {
  const dir = mkdtempSync(join(tmpdir(), 'kannuki-bench-holds-'));
  const embedded = await openEmbedded({ dir, engine: 'postgres' });
  const database = postgresDatabase({ connectionString: embedded.url, max: 10 });
  try {
    await migrate(database, [reservationMigrations]);
    await database.query({
      text: `create table bare_holds (id bigint generated always as identity primary key, day date not null,
        slot integer not null, buyer bigint not null, key text not null, expires_at timestamptz not null,
        unique (day, slot), unique (buyer, key))`,
    });
    const { rows: customers } = await database.query({
      text: `with u as (insert into kannuki.users (email, name) select 'b' || n || '.example', 'b'
        from generate_series(1, ${buyers}) n returning id)
        insert into kannuki.videos (user_id, title) select id, 'film' from u returning user_id as "userId", id as "videoId"`,
    });
    const reservations = open(database);
    let n = 0;
    const next = () => {
      const at = n++;
      const day = new Date(Date.UTC(2030, 0, 1 + Math.floor(at / slotsOfDay))).toISOString().slice(0, 10);
      return { day, slot: (at % slotsOfDay) + 1, key: crypto.randomUUID() };
    };
    const hold = async ({ userId, videoId }) => {
      const { day, slot, key } = next();
      const input = { videoId, projectionDate: day, slotNumber: slot, idempotencyKey: key };
      await reservations.holdSlot(input, { actor: { kind: 'user', id: userId } });
    };
    const bare = async ({ userId }) => {
      const { day, slot, key } = next();
      const { rows } = await database.query({ text: bareInsert, name: 'bare_hold', values: [day, slot, userId, key] });
      if (rows.length !== 1) throw new Error('A free slot was not taken.');
    };
    const rounds = quick ? 5 : 15;
    const perRound = quick ? 400 : 1_000;
    await measure(customers, bare, 200);
    await measure(customers, hold, 200);
    const rates = { bare: [], hold: [] };
    // In turns, so that both meet the same disk and the same neighbours.
    for (let round = 0; round < rounds; round++) {
      rates.bare.push(await measure(customers, bare, perRound));
      rates.hold.push(await measure(customers, hold, perRound));
    }
    const limit = median(rates.bare);
    const ours = median(rates.hold);
    return {
      rows: [
        { what: 'bare INSERT … ON CONFLICT', 'per second': Math.round(limit), 'of the limit': 1 },
        { what: 'kannuki holdSlot', 'per second': Math.round(ours), 'of the limit': Number((ours / limit).toFixed(2)) },
      ],
    };
  } finally {
    await database.close();
    await embedded.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure(customers, work, count) {
  const startedMs = performance.now();
  let left = count;
  await Promise.all(
    customers.map(async (customer) => {
      while (left-- > 0) await work(customer);
    }),
  );
  return (count * 1000) / (performance.now() - startedMs);
}

function median(list) {
  return list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

/** Nothing outside is called while holding: the providers are never reached. */
function open(database) {
  const never = async () => {
    throw new Error('This bench calls no provider.');
  };
  return createReservations({
    database,
    jobs: effectTable({ database }),
    payments: { name: 'none', livemode: false, minimumSessionMs: 1_800_000 },
    mail: { name: 'none', send: never },
    render: { name: 'none', submit: never, getStatus: never, readCallback: () => undefined },
    calendar: {
      timeZone: 'Asia/Tokyo',
      slots: Array.from({ length: slotsOfDay }, (_, i) => ({ number: i + 1, startsAt: '21:00', lengthMinutes: 30 })),
    },
    price: () => ({ amount: 3000, currency: 'JPY' }),
  });
}
