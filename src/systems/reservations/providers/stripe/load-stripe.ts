import type { Stripe } from 'stripe';
import { AppError } from '../../app-error.ts';

/** The SDK is an optional peer: it is loaded when it is needed. */
export async function loadStripe(): Promise<typeof Stripe> {
  try {
    return (await import('stripe')).Stripe;
  } catch (cause) {
    throw new AppError('The Stripe SDK is not installed: run `npm install stripe`.', {
      code: 'INVALID_ARGUMENT',
      cause,
    });
  }
}
