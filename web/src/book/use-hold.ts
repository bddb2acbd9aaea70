/**
 * Asks for a time. The key is made once per wish, so that a repeat after a lost answer is the same request; while the
 * outcome is unknown the page repeats it by itself.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { HoldReply } from '../../../src/server/index.ts';
import { ApiProblem } from '../api/api-problem.ts';
import { callApi } from '../api/call-api.ts';
import type { Language } from './format-booking.ts';
import { keepReservation } from './use-booking.ts';
import { goTo } from './use-path.ts';

export interface Wish {
  readonly projectionDate: string;
  readonly slotNumber: number;
  readonly filmTitle: string;
  readonly name: string;
  readonly email: string;
  readonly locale: Language;
}

export function useHold() {
  const queries = useQueryClient();
  const keys = useRef(new Map<string, string>());
  return useMutation<HoldReply, Error, Wish>({
    mutationFn: (wish) => {
      const { projectionDate, slotNumber, filmTitle } = wish;
      const name = JSON.stringify([projectionDate, slotNumber, filmTitle]);
      const idempotencyKey = keys.current.get(name) ?? crypto.randomUUID();
      keys.current.set(name, idempotencyKey);
      return callApi<HoldReply>('POST', '/api/v1/booking/hold', { ...wish, idempotencyKey });
    },
    retry: (failures, error) => failures < 20 && isUnknown(error),
    retryDelay: 2_000,
    onSuccess: ({ reservation }) => {
      keys.current.clear();
      keepReservation(queries, reservation);
      void queries.invalidateQueries({ queryKey: ['booking-session'] });
      goTo(`/book/${reservation.id}`);
    },
    onError: () => {
      // A refusal is an answer: the next press is a new request.
      keys.current.clear();
      void queries.invalidateQueries({ queryKey: ['days'] });
    },
  });
}

/** Nobody knows whether it happened. */
export function isUnknown(error: unknown): boolean {
  return error instanceof ApiProblem && (error.status === 0 || error.status === 503);
}
