/** What stands for the page of a payment company: a button for each outcome. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { BookingSessionReply, SandboxSessionReply } from '../../../src/server/index.ts';
import { ApiProblem } from '../api/api-problem.ts';
import { callApi } from '../api/call-api.ts';
import { formatMoney, languageOf, quoteTitle } from './format-booking.ts';
import { Note } from './note.tsx';
import { PlaceLink } from './place-link.tsx';
import { type Press, pressesOf } from './sandbox-presses.ts';
import { keepReservation } from './use-booking.ts';
import { goTo } from './use-path.ts';
import { comeBack, pressButton } from './use-pay.ts';

export function CheckoutPage({ session, id }: { readonly session: BookingSessionReply; readonly id: string }) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['checkout', id],
    enabled: session.sandbox,
    queryFn: async () =>
      (await callApi<SandboxSessionReply>('GET', `/api/v1/sandbox/checkout/${encodeURIComponent(id)}`)).session,
  });
  const press = useMutation<boolean, Error, Press>({
    mutationFn: async (button) => {
      const declined = await pressButton(id, button);
      const reservationId = data?.reservationId ?? 0;
      if (!declined) {
        keepReservation(queries, await comeBack(reservationId));
        goTo(`/book/${reservationId}`);
      }
      return declined;
    },
    onError: () => void queries.invalidateQueries({ queryKey: ['checkout', id] }),
  });
  if (error || !session.sandbox) {
    return (
      <section className="panel top-gap">
        <h1>{t('checkout.title')}</h1>
        <p className="lead">{t('checkout.missing')}</p>
      </section>
    );
  }
  if (!data) return <div className="waiting" />;
  const amount = formatMoney(data.amount, data.currency, language);
  const isWaiting = data.status === 'complete' && data.payment === 'unpaid';
  const isClosed = press.error instanceof ApiProblem && press.error.status === 409;
  return (
    <section className="panel top-gap">
      <h1>{t('checkout.title')}</h1>
      <p className="lead">{t('checkout.text')}</p>
      <dl className="sumy top-gap">
        <dt>{t('summary.film')}</dt>
        <dd>{quoteTitle(data.title, language)}</dd>
        <dt>{t('summary.mailTo')}</dt>
        <dd>{data.email}</dd>
        <dt>{t('summary.total')}</dt>
        <dd>{amount}</dd>
      </dl>
      {press.data && <Note state="critical" said title={t('pay.declined')} text={t('pay.declinedText')} />}
      {(isClosed || data.status === 'expired') && (
        <Note state="warn" said title={t('pay.closed')} text={t('pay.closedText')} />
      )}
      {press.error && !isClosed && <Note state="warn" said title={t('refused.title')} text={press.error.message} />}
      {data.status === 'complete' && <p>{isWaiting ? t('checkout.waiting') : t('checkout.done')}</p>}
      <div className="btns">
        {pressesOf(data).map((button, index) => (
          <button
            key={button}
            type="button"
            className={index === 0 ? 'btn primary' : 'btn'}
            disabled={press.isPending}
            onClick={() => press.mutate(button)}
          >
            {t(`checkout.${button}`, { amount })}
          </button>
        ))}
        <PlaceLink className="btn ghost" to={`/book/${data.reservationId}`}>
          {t('pay.back')}
        </PlaceLink>
      </div>
    </section>
  );
}
