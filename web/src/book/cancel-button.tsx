import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BookingSessionReply, CustomerReservation, CustomerReservationReply } from '../../../src/server/index.ts';
import { ApiProblem } from '../api/api-problem.ts';
import { callApi } from '../api/call-api.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { formatMoney, formatStart, languageOf } from './format-booking.ts';
import { keepReservation } from './use-booking.ts';

/** Cancelling asks once and says what comes back. However often it is pressed, it is one cancellation and one refund. */
export function CancelButton({
  session,
  reservation,
  wide = false,
}: {
  readonly session: BookingSessionReply;
  readonly reservation: CustomerReservation;
  readonly wide?: boolean;
}) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  const queries = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const { id, amount, currency, projectionDate, startsAtMs, state } = reservation;
  const isPaid = state === 'confirmed' || state === 'delayed';
  const facts = {
    amount: formatMoney(amount, currency, language),
    when: formatStart(projectionDate, startsAtMs, session.site.timeZone, language),
  };
  const cancel = useMutation({
    mutationFn: () =>
      callApi<CustomerReservationReply>('POST', `/api/v1/booking/reservations/${id}/cancel`, { locale: language }),
    onSuccess: (reply) => {
      keepReservation(queries, reply.reservation);
      setOpen(false);
    },
  });
  const problem =
    cancel.error instanceof ApiProblem && cancel.error.code === 'CANNOT_CANCEL'
      ? new Error(t('cancel.cannot'))
      : cancel.error;
  return (
    <>
      <button type="button" className={wide ? 'btn wide' : 'btn'} onClick={() => setOpen(true)}>
        {isPaid ? t('cancel.open') : t('cancel.openUnpaid')}
      </button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('cancel.title', facts)}
        text={isPaid ? t('cancel.text', facts) : t('cancel.textUnpaid')}
        keepLabel={t('cancel.keep')}
        doLabel={isPaid ? t('cancel.do', facts) : t('cancel.doUnpaid')}
        dangerous
        busy={cancel.isPending}
        problem={problem}
        onDo={() => cancel.mutate()}
      />
    </>
  );
}
