/** What became of a booking, explained: the sentence, what happened when, and what is possible next. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { BookingSessionReply, CustomerState, CustomerStep } from '../../../src/server/index.ts';
import { StateBadge } from '../parts/state-badge.tsx';
import { CancelButton } from './cancel-button.tsx';
import { dayOf, formatMoney, formatStart, formatTime, languageOf } from './format-booking.ts';
import { lookOf } from './look-of.ts';
import { OwnList } from './own-list.tsx';
import { PlaceLink } from './place-link.tsx';
import { Steps } from './steps.tsx';
import { isFree } from './time-picker.tsx';
import { keepReservation, type SeenReservation, useDays } from './use-booking.ts';
import { comeBack } from './use-pay.ts';

const stepLooks: Readonly<Record<CustomerStep['kind'], string>> = {
  kept: 'hold',
  'time-ended': 'hold',
  paid: 'info',
  confirmed: 'ok',
  cancelled: 'pending',
  'refund-sent': 'refunded',
  mailed: 'ok',
};

export function OutcomeView({
  session,
  reservation,
  state,
}: {
  readonly session: BookingSessionReply;
  readonly reservation: SeenReservation;
  readonly state: Exclude<CustomerState, 'kept'>;
}) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  const { timeZone, holdMs } = session.site;
  const { refund, steps = [], projectionDate, practiceCheckout } = reservation;
  useAskOnReturn(reservation);
  const amount = formatMoney(refund?.amount ?? reservation.amount, reservation.currency, language);
  const time = formatTime(reservation.startsAtMs, timeZone, language);
  const minutes = Math.round(holdMs / 60_000);
  const moment = (ms: number): string => formatStart(dayOf(ms, timeZone), ms, timeZone, language);
  const payUntil = reservation.payUntilMs === null ? '' : moment(reservation.payUntilMs);
  const facts = {
    amount,
    minutes,
    email: reservation.email,
    time: state === 'paying-later' ? payUntil : time,
    deadline: moment(reservation.readyByMs ?? reservation.startsAtMs),
  };
  const lateWords = (ms: number): string => {
    const seconds = Math.max(1, Math.round(ms / 1_000));
    return seconds < 60 ? t('seconds', { count: seconds }) : t('minutes', { count: Math.round(seconds / 60) });
  };
  const stepWords = ({ kind, lateMs }: CustomerStep): string =>
    kind === 'paid' && lateMs !== undefined
      ? t('step.paidLate', { late: lateWords(lateMs) })
      : t(`step.${kind}`, facts);
  const offersAgain = state === 'expired-refunded' || state === 'ended';
  const isDone = state === 'confirmed' || state === 'delayed' || state === 'shown';
  return (
    <>
      {isDone && <Steps now={4} />}
      <div className="two top-gap">
        <div>
          <section className="panel" aria-live="polite">
            <StateBadge
              {...lookOf(state)}
              word={refund === null ? t(`state.${state}`) : refund.state === 'sent' ? t('inFull') : t('refundComing')}
            />
            <h1 className="below">{t(`outcome.${state}Title`, facts)}</h1>
            <p className="lead">{t(`outcome.${state}`, facts)}</p>
            <ol className="mini">
              {steps.map((step) => (
                <li
                  key={`${step.kind}-${step.atMs}`}
                  data-state={step.kind === 'paid' && step.lateMs !== undefined ? 'warn' : stepLooks[step.kind]}
                >
                  <time className="tm" dateTime={new Date(step.atMs).toISOString()}>
                    {formatTime(step.atMs, timeZone, language, true)}
                  </time>
                  <i />
                  <span>{stepWords(step)}</span>
                </li>
              ))}
            </ol>
            {offersAgain && <StillFree date={projectionDate} timeZone={timeZone} />}
            <div className="btns">
              {state === 'paying-later' && practiceCheckout !== undefined && (
                <PlaceLink className="btn primary" to={`/book/checkout/${practiceCheckout}`}>
                  {t('practicePay')}
                </PlaceLink>
              )}
              {isDone && (
                <PlaceLink className="btn" to="/book">
                  {t('bookAnother')}
                </PlaceLink>
              )}
              {reservation.canCancel && <CancelButton session={session} reservation={reservation} />}
              {(state === 'cancelled' || state === 'cancelled-refunded' || state === 'render-failed-refunded') && (
                <PlaceLink className="btn primary" to="/book">
                  {t('none.do')}
                </PlaceLink>
              )}
            </div>
          </section>
        </div>
        <aside className="panel">
          <h2>{t('mine')}</h2>
          <OwnList session={session} />
        </aside>
      </div>
    </>
  );
}

/** Back from the payment page of a provider: its webhook may come later than the customer. */
function useAskOnReturn({ id, state }: SeenReservation): void {
  const queries = useQueryClient();
  const isWaiting = state === 'checking';
  useEffect(() => {
    if (!isWaiting) return;
    comeBack(id)
      .then((reservation) => keepReservation(queries, reservation))
      // It is looked at again every two seconds anyway.
      .catch(() => undefined);
  }, [id, isWaiting, queries]);
}

function StillFree({ date, timeZone }: { readonly date: string; readonly timeZone: string }) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  const { data } = useDays(date, 1);
  const free = data?.days[0]?.slots.filter(isFree).slice(0, 3) ?? [];
  return (
    <>
      {free.length > 0 && <h2>{t('stillFree')}</h2>}
      <div className="btns">
        {free.map(({ slotNumber, startsAtMs }, index) => (
          <PlaceLink
            key={slotNumber}
            className={index === 0 ? 'btn primary' : 'btn'}
            to={`/book?date=${date}&slot=${slotNumber}`}
          >
            {index === 0
              ? t('takeTime', { time: formatTime(startsAtMs, timeZone, language) })
              : formatTime(startsAtMs, timeZone, language)}
          </PlaceLink>
        ))}
        <PlaceLink className="btn" to="/book">
          {t('anotherDay')}
        </PlaceLink>
      </div>
    </>
  );
}
