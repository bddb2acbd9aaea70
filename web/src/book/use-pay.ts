/** Pays: at the provider's own page, or in the sandbox by a button. Back from there the server is asked at once. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  CheckoutReply,
  CustomerReservation,
  CustomerReservationReply,
  SandboxSessionReply,
} from '../../../src/server/index.ts';
import { callApi } from '../api/call-api.ts';
import type { Language } from './format-booking.ts';
import type { Press } from './sandbox-presses.ts';
import { keepReservation } from './use-booking.ts';

/** `declined`: the card was refused; `away`: the browser is on its way to the provider. */
export type Paid = 'settled' | 'declined' | 'away';

export function usePay(reservationId: number, language: Language) {
  const queries = useQueryClient();
  return useMutation<Paid, Error, Press>({
    mutationFn: async (press) => {
      const base = `/api/v1/booking/reservations/${reservationId}`;
      const { url, sandboxSession } = await callApi<CheckoutReply>('POST', `${base}/checkout`, { locale: language });
      if (sandboxSession === undefined) {
        location.assign(url);
        return 'away';
      }
      const declined = await pressButton(sandboxSession, press);
      if (declined) return 'declined';
      keepReservation(queries, await comeBack(reservationId));
      return 'settled';
    },
    // It may have happened: look before anything is pressed again.
    onError: () => void queries.invalidateQueries({ queryKey: ['reservation', reservationId] }),
  });
}

/** True: the card was declined. */
export async function pressButton(session: string, press: Press): Promise<boolean> {
  const reply = await callApi<SandboxSessionReply>('POST', `/api/v1/sandbox/checkout/${session}`, { press });
  return reply.declined === true;
}

export async function comeBack(reservationId: number): Promise<CustomerReservation> {
  const path = `/api/v1/booking/reservations/${reservationId}/returned`;
  return (await callApi<CustomerReservationReply>('POST', path, {})).reservation;
}
