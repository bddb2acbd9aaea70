/** Who asks. It is journalled with every change, and decides what may be asked. */
import { AppError, type Locale } from './app-error.ts';

export type Actor =
  /** A customer, about reservations of their own. */
  | { readonly kind: 'user'; readonly id: number; readonly locale?: Locale }
  /** A person of the house. */
  | { readonly kind: 'admin'; readonly name: string; readonly locale?: Locale }
  /** A clock, a webhook, a job. */
  | { readonly kind: 'system'; readonly locale?: Locale };

export interface Acting {
  readonly actor: Actor;
}

export const systemActor: Actor = { kind: 'system' };

/** As it stands in the journal. */
export function nameActor(actor: Actor): string {
  if (actor.kind === 'user') return `user:${actor.id}`;
  return actor.kind === 'admin' ? `admin:${actor.name}` : 'system';
}

export function localeOf(actor: Actor): Locale {
  return actor.locale ?? 'ja';
}

/** Throws INVALID_ARGUMENT unless a person of the house asks. */
export function requireAdmin(actor: Actor, what: string): void {
  if (actor.kind === 'admin') return;
  throw new AppError(`${what} is for people of the house; ${nameActor(actor)} asked.`, { code: 'INVALID_ARGUMENT' });
}
