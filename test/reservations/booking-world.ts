/**
 * A booking site for tests: the real code on a real database, on virtual time. Every statement of reservations asks one
 * function for the time; here it reads a row that the test moves.
 */

import type { SqlDatabase } from '../../src/core/ports.ts';
import { migrate } from '../../src/engine/migrate.ts';
import type { Actor } from '../../src/systems/reservations/actor.ts';
import { AppError } from '../../src/systems/reservations/app-error.ts';
import type { Alert } from '../../src/systems/reservations/check-alerts.ts';
import {
  assembleReservations,
  type CreateReservationsOptions,
  createContext,
} from '../../src/systems/reservations/create-reservations.ts';
import { type EffectTable, effectTable } from '../../src/systems/reservations/effect-table.ts';
import { composeMail } from '../../src/systems/reservations/mail/compose-mail.ts';
import type { MailMessage } from '../../src/systems/reservations/mail-port.ts';
import type { PaymentEvent } from '../../src/systems/reservations/payment-port.ts';
import type { RenderRequest, RenderStatus } from '../../src/systems/reservations/render-port.ts';
import { reservationMigrations } from '../../src/systems/reservations/reservation-migrations.ts';
import type { Reservations } from '../../src/systems/reservations/reservations.ts';
import type { ReservationsContext } from '../../src/systems/reservations/reservations-context.ts';
import { type SeededRandom, seededRandom } from '../../src/testing/seeded-random.ts';
import { type PaymentDouble, paymentDouble } from './payment-double.ts';

export interface RenderDouble {
  readonly submitted: RenderRequest[];
  /** What becomes of renders from now on. */
  plan: 'done' | 'failed' | 'working' | 'unreachable';
  /** Ends a render that was left working. */
  end(renderId: string, status: 'done' | 'failed'): void;
  idOf(videoId: number, attempt: number): string;
}

export interface Customer {
  readonly id: number;
  readonly videoId: number;
  readonly actor: Actor;
}

export interface BookingWorld {
  readonly database: SqlDatabase;
  readonly schema: string;
  readonly reservations: Reservations;
  readonly context: ReservationsContext;
  readonly effects: EffectTable;
  readonly payments: PaymentDouble;
  readonly render: RenderDouble;
  readonly mails: MailMessage[];
  readonly told: Alert[];
  readonly random: SeededRandom;
  nowMs(): number;
  advance(ms: number): Promise<void>;
  addCustomer(options?: { readonly videoStatus?: string; readonly videoType?: string }): Promise<Customer>;
  /** Many at once, in one statement. */
  addCustomers(count: number): Promise<readonly Customer[]>;
  /** A new UUID v4. */
  key(): string;
  hold(customer: Customer, slotNumber?: number, options?: { key?: string; day?: string }): Promise<number>;
  /** Holds, opens the payment page, and pays; the news is not delivered. */
  pay(reservationId: number, customer: Customer): Promise<string>;
  /** Delivers every event of the provider so far, and works on them and on all effects that are due. */
  settle(): Promise<void>;
  deliver(event: PaymentEvent): Promise<void>;
  /** Works on effects and events until nothing is due. */
  drain(): Promise<void>;
  status(reservationId: number): Promise<string>;
  rows<Row = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

export const today = '2027-03-01';
export const slotCount = 1_000;
/** 2027-03-01 09:00 in Tokyo: the slots begin twelve hours later. */
const startMs = 1_803_859_200_000;

export const admin: Actor = { kind: 'admin', name: 'Hana' };
const minute = 60_000;

export interface WorldOptions extends Partial<CreateReservationsOptions> {
  readonly seed?: number | string;
  /** A database whose statements can fail; the tables are made through the plain one. */
  readonly wrap?: (database: SqlDatabase) => SqlDatabase;
  /** Plants a bug. */
  readonly tamper?: (context: ReservationsContext) => ReservationsContext;
}

export async function openWorld(database: SqlDatabase, options: WorldOptions = {}): Promise<BookingWorld> {
  const schema = `"${database.schema}"`;
  const { applied } = await migrate(database, [reservationMigrations]);
  let nowMs = startMs;
  if (applied.length === 0) await emptyTables(database);
  else await makeClock(database, schema);
  await database.query({ text: `insert into ${schema}.test_clock values (to_timestamp(${nowMs / 1000}))` });
  const { seed = 1, wrap, tamper, ...given } = options;
  const random = seededRandom(seed);
  const payments = paymentDouble(() => nowMs);
  const used = wrap?.(database) ?? database;
  const effects = effectTable({ database: used, random, concurrency: 1 });
  const mails: MailMessage[] = [];
  const told: Alert[] = [];
  const { port: render, double } = renderDouble();
  const made: CreateReservationsOptions = {
    database: used,
    jobs: effects,
    payments,
    mail: {
      name: 'double',
      async send(message) {
        // A mail with a hole in it throws, as it would with any real adapter.
        composeMail(message);
        mails.push(message);
        return { kind: 'sent', messageId: `<${message.key}@test>` };
      },
    },
    render,
    calendar: {
      timeZone: 'Asia/Tokyo',
      // A thousand slots of the same evening: tests take as many as they need.
      slots: Array.from({ length: slotCount }, (_, i) => ({ number: i + 1, startsAt: '21:00', lengthMinutes: 30 })),
      closed: ['2027-03-02'],
    },
    price: () => ({ amount: 3_000, currency: 'JPY' }),
    alerts: {
      async send(alert) {
        told.push(alert);
      },
    },
    random,
    ...given,
  };
  const sound = createContext(made);
  const context = tamper?.(sound) ?? sound;
  const reservations = assembleReservations(context, made);

  let customers = 0;
  const rows = async <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    (await database.query<Row>({ text: text.replaceAll('@', `${schema}.`), values })).rows;

  const world: BookingWorld = {
    database,
    schema,
    reservations,
    context,
    effects,
    payments,
    render: double,
    mails,
    told,
    random,
    nowMs: () => nowMs,
    async advance(ms) {
      nowMs += ms;
      await rows('update @test_clock set now = to_timestamp($1::float8 / 1000)', [nowMs]);
      payments.tick();
    },
    async addCustomer({ videoStatus = 'pending', videoType = 'paid' } = {}) {
      const n = ++customers;
      const [row] = await rows<{ userId: number; videoId: number }>(
        `with u as (insert into @users (email, name) values ($1::text, $2::text) returning id)
         insert into @videos (user_id, title, status, video_type, failed_at)
         select id, $2::text || 'の映画', $3::text, $4::text, case when $3::text = 'failed' then @reservations_now() end
         from u
         returning user_id as "userId", id as "videoId"`,
        [`c${n}=a.example`.replace('=', String.fromCharCode(64)), `客${n}`, videoStatus, videoType],
      );
      if (!row) throw new Error('no customer was made');
      return { id: row.userId, videoId: row.videoId, actor: { kind: 'user', id: row.userId } };
    },
    async addCustomers(count) {
      const made = await rows<{ id: number; videoId: number }>(
        `with u as (
           insert into @users (email, name)
           select 'crowd' || n || chr(64) || 'a.example', '客' || n from generate_series(1, $1::integer) n returning id
         )
         insert into @videos (user_id, title) select id, '映画' from u returning user_id as id, id as "videoId"`,
        [count],
      );
      return made.map(({ id, videoId }) => ({ id, videoId, actor: { kind: 'user', id } }));
    },
    key: () => uuid(random),
    async hold(customer, slotNumber = 1, { key = uuid(random), day = today } = {}) {
      const { videoId, actor } = customer;
      const input = { videoId, projectionDate: day, slotNumber, idempotencyKey: key };
      return (await reservations.holdSlot(input, { actor })).reservationId;
    },
    async pay(reservationId, { actor }) {
      const { sessionId } = await reservations.startCheckout(reservationId, { actor });
      if (!payments.pay(sessionId)) throw new Error(`session ${sessionId} cannot be paid`);
      return sessionId;
    },
    async deliver(event) {
      const contentType = 'application/json';
      await reservations.acceptWebhook({ rawBody: JSON.stringify(event), signature: 'signed', contentType });
    },
    async settle() {
      while (payments.events.length > 0) {
        for (const event of payments.events.splice(0)) await world.deliver(event);
        await world.drain();
      }
      await world.drain();
    },
    async drain() {
      for (;;) {
        const { done } = await reservations.workEvents();
        if ((await effects.runDue()) + done === 0) return;
      }
    },
    async status(reservationId) {
      const [row] = await rows<{ status: string }>('select status from @reservations where id = $1::bigint', [
        reservationId,
      ]);
      return row?.status ?? 'none';
    },
    rows,
  };
  return world;
}

/**
 * Rows are deleted, not truncated: new files for forty tables and indexes would take longer than a test. Ids begin at 1
 * again, so that a seed finds the same ones.
 */
async function emptyTables(database: SqlDatabase): Promise<void> {
  const { rows } = await database.query<{ text: string }>({
    text: `select format('delete from %I.%I', schemaname, tablename) as text from pg_tables
       where schemaname = $1 and tablename <> 'migrations'
     union all select format('perform setval(%L, 1, false)', format('%I.%I', schemaname, sequencename)) from pg_sequences
       where schemaname = $1`,
    values: [database.schema],
  });
  await database.transaction(async (tx) => {
    // Everything goes: nobody has to look whether somebody still points at it.
    await tx.query({ text: 'set local session_replication_role = replica' });
    await tx.query({ text: `do $$ begin ${rows.map(({ text }) => text).join('; ')}; end $$` });
  });
}

async function makeClock(database: SqlDatabase, schema: string): Promise<void> {
  for (const text of [
    `create table ${schema}.test_clock (now timestamptz not null)`,
    `create or replace function ${schema}.reservations_now() returns timestamptz language sql stable
     as $$ select now from ${schema}.test_clock $$`,
  ]) {
    await database.query({ text });
  }
}

export function uuid(random: SeededRandom): string {
  const hex = random.hex(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function renderDouble(): { port: CreateReservationsOptions['render']; double: RenderDouble } {
  const renders = new Map<string, { status: RenderStatus['status'] }>();
  const double: RenderDouble = {
    submitted: [],
    plan: 'done',
    end(renderId, status) {
      renders.set(renderId, { status });
    },
    idOf: (videoId, attempt) => `render-${videoId}-${attempt}`,
  };
  return {
    double,
    port: {
      name: 'double',
      async submit(request) {
        double.submitted.push(request);
        if (double.plan === 'unreachable') {
          throw new AppError('the renderer did not answer', { code: 'PROVIDER_UNAVAILABLE', retryable: true });
        }
        const renderId = double.idOf(request.videoId, request.attempt);
        renders.set(renderId, { status: double.plan });
        return { renderId };
      },
      async getStatus(renderId) {
        const render = renders.get(renderId);
        return render && { renderId, status: render.status, url: `http://127.0.0.1/${renderId}.mp4` };
      },
      readCallback: ({ rawBody, query }) => {
        const body = JSON.parse(rawBody) as { videoId: number; attempt: number; renderId: string };
        return { ...body, attemptToken: query.token ?? '' };
      },
    },
  };
}

export { minute };
