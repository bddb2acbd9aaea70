/**
 * What can go wrong between a client and its store. A plan is asked before every call and every notice; it answers
 * with a fault or with nothing.
 */
import type { Notice } from '../core/ports.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { StoreOperation } from './store-history.ts';

export type CallFault =
  /** The request, the reply, or both take their time. */
  | { readonly kind: 'delay'; readonly requestMs?: number; readonly replyMs?: number }
  /** The request is carried out, answered, and carried out again `againMs` later. */
  | { readonly kind: 'duplicate'; readonly againMs: number }
  /** Nothing happens until `resume`: before the store sees the request, or before the client sees the reply. */
  | { readonly kind: 'hang'; readonly at: 'request' | 'reply' }
  /** Carried out, but the answer never comes; or an error comes `errorMs` after the sending. */
  | { readonly kind: 'lost-reply'; readonly errorMs?: number }
  /** Never carried out; no answer, or an error `errorMs` after the sending. */
  | { readonly kind: 'lost-request'; readonly errorMs?: number };

export type NoticeFault =
  | { readonly kind: 'doubled'; readonly againMs: number }
  | { readonly kind: 'late'; readonly ms: number }
  | { readonly kind: 'lost' };

export interface PlannedCall {
  readonly op: StoreOperation;
  readonly request: unknown;
  readonly process: string;
  /** The how manieth call of this wrapper, from 1. */
  readonly n: number;
}

export interface FaultPlan {
  call?(call: PlannedCall): CallFault | undefined;
  notice?(notice: Notice): NoticeFault | undefined;
}

export interface FaultRates {
  /** How likely a call meets a fault. @default 0.1 */
  readonly call?: number;
  /** How likely a notice does. @default 0.2 */
  readonly notice?: number;
  /** The longest delay. Choose it around the TTL: beyond it leases end while answers are under way. */
  readonly delayMsMax: number;
  /** Which faults of calls take part. A hang needs somebody who resumes. @default all but hang */
  readonly kinds?: readonly CallFault['kind'][];
}

/** Faults drawn at random; the same seed gives the same faults. */
export function randomFaults(random: SeededRandom, rates: FaultRates): FaultPlan {
  const { call = 0.1, notice = 0.2, delayMsMax } = rates;
  const { kinds = ['delay', 'duplicate', 'lost-reply', 'lost-request'] } = rates;
  const delay = (): number => random.integer(0, delayMsMax);
  /** Most clients have a time limit and report an error; some wait for ever. */
  const error = (): { errorMs?: number } => (random.chance(0.8) ? { errorMs: delay() } : {});
  return {
    call() {
      if (!random.chance(call)) return undefined;
      switch (random.pick(kinds)) {
        case 'delay':
          return { kind: 'delay', requestMs: delay(), replyMs: delay() };
        case 'duplicate':
          return { kind: 'duplicate', againMs: delay() };
        case 'hang':
          return { kind: 'hang', at: random.pick(['request', 'reply']) };
        case 'lost-reply':
          return { kind: 'lost-reply', ...error() };
        case 'lost-request':
          return { kind: 'lost-request', ...error() };
      }
    },
    notice() {
      if (!random.chance(notice)) return undefined;
      return random.pick<NoticeFault>([
        { kind: 'lost' },
        { kind: 'late', ms: delay() },
        { kind: 'doubled', againMs: delay() },
      ]);
    },
  };
}
