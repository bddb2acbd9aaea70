/**
 * Customers of the booking page. A browser gets a cookie when it opens the page; it becomes a user with an address at
 * its first hold. The address is not checked, so it opens nothing: only the cookie does.
 */
import { platform } from '#platform';
import type { Clock, Random, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { ensureSecret } from '../sign-in/ensure-secret.ts';
import { readVisit, signVisit } from './customer-cookie.ts';
import { addCustomerStatement } from './sql/add-customer.ts';
import { addFilmStatement } from './sql/add-film.ts';
import { addUserStatement } from './sql/add-user.ts';
import { changeUserStatement } from './sql/change-user.ts';
import { findCustomerStatement } from './sql/find-customer.ts';
import { findFilmStatement } from './sql/find-film.ts';

export interface CustomerUser {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly locale: 'en' | 'ja';
}

export interface CustomerBooking extends Omit<CustomerUser, 'id'> {
  readonly visitor: string;
  /** The same title again is the same film. */
  readonly filmTitle: string;
  /** What the renderer is given, for a film that is new. */
  readonly filmSource: object;
}

export interface Customers {
  /** The visitor that the cookie names. */
  visitorOf(request: Request): string | undefined;
  /** A cookie for a browser that has none. */
  begin(): { readonly visitor: string; readonly cookie: string; readonly lastsMs: number };
  /** Undefined: this visitor has not booked yet. */
  findUser(visitor: string): Promise<CustomerUser | undefined>;
  /** Makes the visitor a user if need be, and the film theirs. The same again changes nothing. */
  prepare(booking: CustomerBooking): Promise<{ readonly userId: number; readonly videoId: number }>;
}

const lastsMs = 400 * 24 * 3_600_000;

/** The tables must be there: `bookingMigrations`. */
export async function createCustomers(options: {
  readonly database: SqlDatabase;
  readonly clock?: Clock;
  readonly random?: Random;
}): Promise<Customers> {
  const { database, clock = platform.clock, random = platform.random } = options;
  const schema = `"${database.schema}"`;
  const secret = await ensureSecret(database, random, 'customer');
  const sql = {
    addCustomer: addCustomerStatement(schema),
    addFilm: addFilmStatement(schema),
    addUser: addUserStatement(schema),
    changeUser: changeUserStatement(schema),
    findCustomer: findCustomerStatement(schema),
    findFilm: findFilmStatement(schema),
  };
  const idOf = async (on: SqlExecutor, text: string, values: readonly unknown[]): Promise<number | undefined> =>
    (await on.query<{ id: number }>({ text, values })).rows[0]?.id;
  const findUser = async (visitor: string): Promise<CustomerUser | undefined> =>
    (await database.query<CustomerUser>({ text: sql.findCustomer, values: [visitor] })).rows[0];

  /** Undefined: another request of the same visitor was first, and this one's user was rolled back. */
  const addUser = ({ visitor, email, name, locale }: CustomerBooking): Promise<unknown> =>
    database
      .transaction(async (tx) => {
        const id = await idOf(tx, sql.addUser, [email, name, locale]);
        const { rows } = await tx.query({ text: sql.addCustomer, values: [visitor, id] });
        if (rows.length === 0) throw alreadyThere;
      })
      .catch((error: unknown) => {
        if (error !== alreadyThere) throw error;
      });

  return {
    visitorOf: (request) => readVisit(request.headers.get('cookie'), secret, clock.wallMs())?.visitor,
    begin() {
      const visitor = random.hex(16);
      return { visitor, cookie: signVisit({ visitor, endsMs: clock.wallMs() + lastsMs }, secret), lastsMs };
    },
    findUser,
    async prepare(booking) {
      if (!(await findUser(booking.visitor))) await addUser(booking);
      const user = await findUser(booking.visitor);
      if (!user) throw new Error(`The customer of visitor ${booking.visitor.slice(0, 8)}… was removed.`);
      return database.transaction(async (tx) => {
        const { email, name, locale, filmTitle, filmSource } = booking;
        await tx.query({ text: sql.changeUser, values: [user.id, email, name, locale] });
        const videoId =
          (await idOf(tx, sql.findFilm, [user.id, filmTitle])) ??
          (await idOf(tx, sql.addFilm, [user.id, filmTitle, JSON.stringify(filmSource)]));
        if (videoId === undefined) throw new Error(`The film of customer ${user.id} was not written.`);
        return { userId: user.id, videoId };
      });
    },
  };
}

const alreadyThere = new Error('The visitor is a user already.');
