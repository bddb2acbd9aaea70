/** A time that is kept: the countdown first, then the payment, and what happens if the time runs out. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { BookingSessionReply, CustomerReservationReply } from '../../../src/server/index.ts';
import { callApi } from '../api/call-api.ts';
import { TimeBar } from '../parts/time-bar.tsx';
import { useNow } from '../parts/use-now.ts';
import { BookingSummary } from './booking-summary.tsx';
import { CardPanel } from './card-panel.tsx';
import { formatTime, languageOf } from './format-booking.ts';
import { Note } from './note.tsx';
import { Steps } from './steps.tsx';
import { keepReservation, type SeenReservation } from './use-booking.ts';
import { useSpokenCountdown } from './use-spoken-countdown.ts';

export function HoldView({
  session,
  reservation,
}: {
  readonly session: BookingSessionReply;
  readonly reservation: SeenReservation;
}) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  const queries = useQueryClient();
  const nowMs = useNow() + reservation.offsetMs;
  const leftMs = Math.max(reservation.holdEndsAtMs - nowMs, 0);
  const { holdMs, timeZone } = session.site;
  const minutes = Math.floor(leftMs / 60_000);
  const seconds = Math.floor((leftMs % 60_000) / 1_000);
  const spoken = useSpokenCountdown(leftMs);
  const isOver = leftMs === 0;
  useEffect(() => {
    if (isOver) void queries.invalidateQueries({ queryKey: ['reservation', reservation.id] });
  }, [isOver, queries, reservation.id]);
  const giveBack = useMutation({
    mutationFn: () =>
      callApi<CustomerReservationReply>('POST', `/api/v1/booking/reservations/${reservation.id}/cancel`, {
        locale: language,
      }),
    onSuccess: (reply) => keepReservation(queries, reply.reservation),
  });
  return (
    <>
      <h1 className="sr">{t('title.pay')}</h1>
      <Steps now={3} />
      <div className="two">
        <div>
          <section className="panel clockp">
            <div className="soft">{t('hold.kept')}</div>
            <span className="cd" role="timer" aria-label={t('hold.leftLabel', { minutes, seconds })}>
              {minutes}:{String(seconds).padStart(2, '0')}
            </span>
            <TimeBar share={leftMs / holdMs} state="hold" large />
            <div className="fine">
              {t('hold.until', {
                time: formatTime(reservation.holdEndsAtMs, timeZone, language, true),
                zone: zoneName(timeZone, i18n.language),
              })}
            </div>
            <output className="sr" aria-live="polite">
              {spoken}
            </output>
          </section>
          {leftMs > 0 && leftMs < 120_000 && <Note state="warn" title={t('hold.ending')} text={t('hold.endingText')} />}
          <CardPanel session={session} reservation={reservation} />
        </div>
        <BookingSummary
          film={reservation.title}
          date={reservation.projectionDate}
          offer={{ startsAtMs: reservation.startsAtMs, endsAtMs: endOf(session, reservation) }}
          timeZone={timeZone}
          amount={reservation}
          email={reservation.email}
        >
          <button type="button" className="btn wide" disabled={giveBack.isPending} onClick={() => giveBack.mutate()}>
            {t('hold.giveBack')}
          </button>
          {giveBack.error && <Note state="critical" said title={t('refused.title')} text={giveBack.error.message} />}
        </BookingSummary>
      </div>
    </>
  );
}

function endOf(session: BookingSessionReply, { startsAtMs, slotNumber }: SeenReservation): number {
  const length = session.site.slots.find(({ number }) => number === slotNumber)?.lengthMinutes ?? 0;
  return startsAtMs + length * 60_000;
}

/** “Japan time”, 「日本時間」. */
function zoneName(timeZone: string, language: string): string {
  const parts = new Intl.DateTimeFormat(language, { timeZone, timeZoneName: 'longGeneric' }).formatToParts();
  return (parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone)
    .replace(' Standard', '')
    .replace('Time', 'time');
}
