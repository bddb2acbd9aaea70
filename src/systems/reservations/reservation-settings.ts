/** Times and policies, with the bounds in which they make sense. */
import { AppError } from './app-error.ts';

export interface ReservationSettings {
  /** How long a slot is kept for somebody who has not paid. From 1 minute to 1 day. @default 900000 (15 minutes) */
  readonly holdMs: number;
  /** How long a payment session lives. Not below what the provider allows. @default 2100000 (35 minutes) */
  readonly sessionMs: number;
  /**
   * How long an overdue hold waits for a provider that does not answer. Then it is given up with an alert.
   * From 1 minute to 1 day. @default 600000 (10 minutes)
   */
  readonly settleCapMs: number;
  /**
   * Money charged in time for a reservation that was given up because the provider could not be reached.
   * @default 'refund'
   */
  readonly lateMoney: 'refund' | 'reinstate-if-free';
  /** Offer konbini and bank transfer. @default false */
  readonly delayedMethods: boolean;
  /** Attempts at a render before a person is asked. From 1 to 10. @default 3 */
  readonly renderTries: number;
  /** How long a person has to fix a failed render. From 1 minute to 7 days. @default 86400000 (24 hours) */
  readonly renderWindowMs: number;
  /** An attempt at a render that takes longer has failed. From 1 minute to 1 day. @default 1800000 (30 minutes) */
  readonly renderTimeoutMs: number;
  /** Definite failures of a refund before a person is asked. From 1 to 20. @default 5 */
  readonly refundFailuresMax: number;
  /** A session or refund that nobody has mentioned for so long is asked about. @default 300000 (5 minutes) */
  readonly reconcileAfterMs: number;
  /** Where the payment page sends the customer. @default a page of this machine */
  readonly returnUrl: (reservationId: number, result: 'paid' | 'left') => string;
}

const minute = 60_000;
const day = 24 * 60 * minute;

const bounds = {
  holdMs: { min: minute, max: day, standard: 15 * minute },
  sessionMs: { min: minute, max: day, standard: 35 * minute },
  settleCapMs: { min: minute, max: day, standard: 10 * minute },
  renderTries: { min: 1, max: 10, standard: 3 },
  renderWindowMs: { min: minute, max: 7 * day, standard: day },
  renderTimeoutMs: { min: minute, max: day, standard: 30 * minute },
  refundFailuresMax: { min: 1, max: 20, standard: 5 },
  reconcileAfterMs: { min: 1, max: day, standard: 5 * minute },
} as const;

export function resolveSettings(given: Partial<ReservationSettings>, minimumSessionMs: number): ReservationSettings {
  const numbers = Object.fromEntries(
    Object.entries(bounds).map(([name, { min, max, standard }]) => {
      const value = given[name as keyof typeof bounds] ?? standard;
      if (!Number.isFinite(value) || value < min || value > max) {
        throw invalid(`${name} must be from ${min} to ${max}, got ${value}`);
      }
      return [name, value];
    }),
  ) as Record<keyof typeof bounds, number>;
  // Exactly the minimum would be refused whenever the request takes a moment, or the clocks differ.
  if (numbers.sessionMs < minimumSessionMs) {
    throw invalid(`sessionMs must be at least ${minimumSessionMs}, which the payment provider asks for`);
  }
  return {
    ...numbers,
    lateMoney: given.lateMoney ?? 'refund',
    delayedMethods: given.delayedMethods ?? false,
    returnUrl: given.returnUrl ?? ((id, result) => `http://localhost:7423/book/${id}?result=${result}`),
  };
}

function invalid(what: string): AppError {
  return new AppError(`The settings of reservations are wrong: ${what}.`, { code: 'INVALID_ARGUMENT' });
}
