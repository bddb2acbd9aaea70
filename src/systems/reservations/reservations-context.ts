/** What every part of reservations works with, and the few ways in which all of them reach the database. */

import type { EffectQueue } from '../../core/effect-queue.ts';
import type { Logger, Random, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import type { Calendar } from './calendar.ts';
import type { MailPort } from './mail-port.ts';
import type { PaymentPort } from './payment-port.ts';
import type { RenderPort } from './render-port.ts';
import type { ReservationSettings } from './reservation-settings.ts';
import type { NamedStatement, ReservationStatements } from './reservation-statements.ts';

export interface SlotPrice {
  /** Minor units, whole, above 0. */
  readonly amount: number;
  /** ISO 4217, any case. */
  readonly currency: string;
}

export interface PricedSlot {
  readonly projectionDate: string;
  readonly slotNumber: number;
}

export interface ReservationsContext {
  readonly database: SqlDatabase;
  readonly sql: ReservationStatements;
  readonly effects: EffectQueue;
  readonly payments: PaymentPort;
  readonly mail: MailPort;
  readonly render: RenderPort;
  readonly calendar: Calendar;
  readonly price: (slot: PricedSlot) => SlotPrice | Promise<SlotPrice>;
  readonly settings: ReservationSettings;
  readonly random: Random;
  readonly logger: Logger | undefined;
}

/** The first row, if there is one. */
export async function queryOne<Row>(
  on: SqlExecutor,
  statement: NamedStatement,
  values: readonly unknown[],
): Promise<Row | undefined> {
  return (await on.query<Row>({ ...statement, values })).rows[0];
}

export async function queryAll<Row>(
  on: SqlExecutor,
  statement: NamedStatement,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  return (await on.query<Row>({ ...statement, values })).rows;
}

/** Whether a statement that returns what it changed has changed anything. */
export async function changes(
  on: SqlExecutor,
  statement: NamedStatement,
  values: readonly unknown[],
): Promise<boolean> {
  return (await on.query({ ...statement, values })).rows.length > 0;
}
