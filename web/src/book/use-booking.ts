/** What the booking page asks the server for. */
import { keepPreviousData, type QueryClient, useQuery } from '@tanstack/react-query';
import type {
  BookingSessionReply,
  CustomerReservation,
  CustomerReservationReply,
  CustomerReservationsReply,
  DaysReply,
} from '../../../src/server/index.ts';
import { callApi } from '../api/call-api.ts';

/** The site, and this browser's customer. The first call makes the cookie; everything else waits for it. */
export function useBookingSession() {
  return useQuery({
    queryKey: ['booking-session'],
    queryFn: () => callApi<BookingSessionReply>('POST', '/api/v1/booking/session', {}),
    staleTime: 300_000,
  });
}

export function useDays(from: string | undefined, days = 7) {
  return useQuery({
    queryKey: ['days', from, days],
    enabled: from !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
    queryFn: () => callApi<DaysReply>('GET', `/api/v1/booking/days?from=${from}&days=${days}`),
  });
}

export type SeenReservation = CustomerReservation & {
  /** What to add to this browser's clock to get the server's. */
  readonly offsetMs: number;
};

/** States that change by themselves within seconds. */
const moving = new Set<CustomerReservation['state']>(['kept', 'checking', 'paying-later']);

export function useReservation(id: number) {
  return useQuery({
    queryKey: ['reservation', id],
    refetchInterval: ({ state }) => (state.data && settled(state.data) ? 15_000 : 2_000),
    queryFn: async () => {
      const { reservation } = await callApi<CustomerReservationReply>('GET', `/api/v1/booking/reservations/${id}`);
      return seen(reservation);
    },
  });
}

export function useOwnReservations() {
  return useQuery({
    queryKey: ['own'],
    refetchInterval: 5_000,
    queryFn: async () => (await callApi<CustomerReservationsReply>('GET', '/api/v1/booking/reservations')).reservations,
  });
}

/** A newer view of a reservation, from an act's answer. */
export function keepReservation(queries: QueryClient, reservation: CustomerReservation): void {
  queries.setQueryData(['reservation', reservation.id], seen(reservation));
  void queries.invalidateQueries({ queryKey: ['own'] });
  void queries.invalidateQueries({ queryKey: ['days'] });
}

function seen(reservation: CustomerReservation): SeenReservation {
  return { ...reservation, offsetMs: reservation.nowMs - Date.now() };
}

/** What follows by itself within seconds is worth another look: a refund, and the mail about the last step. */
function settled({ state, refund, steps = [], nowMs }: SeenReservation): boolean {
  const last = steps.at(-1);
  const mailComes = last !== undefined && last.kind !== 'mailed' && nowMs - last.atMs < 60_000;
  return !moving.has(state) && refund?.state !== 'coming' && !mailComes;
}
