import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DaysReply, ShownReservation } from '../../../../src/server/index.ts';
import { dayNumber, dayOf, formatTime, languageOf, weekdayOf } from '../../book/format-booking.ts';
import { Icon } from '../../parts/icon.tsx';
import { TimeBar } from '../../parts/time-bar.tsx';
import { useNow } from '../../parts/use-now.ts';
import { isLive, lookOfReservation } from './reservation-look.ts';

export interface Week extends DaysReply {
  readonly reservations: readonly ShownReservation[];
  /** What to add to this browser's clock to get the server's. */
  readonly offsetMs: number;
}

/** Days across, slots down; on a phone one day at a time. */
export function DayGrid({ week }: { readonly week: Week }) {
  const { t, i18n } = useTranslation('bookings');
  const language = languageOf(i18n.language);
  const { days, timeZone } = week;
  const [day, setDay] = useState(0);
  const nowMs = useNow() + week.offsetMs;
  const today = dayOf(nowMs, timeZone);
  const rows = days.find(({ slots }) => slots.length > 0)?.slots ?? [];
  const name = (date: string): string => `${weekdayOf(date, language)} ${dayNumber(date)}`;
  return (
    <div className="card dg-card">
      <fieldset className="daytabs">
        <legend className="sr">{t('col.when')}</legend>
        {days.map(({ date }, index) => (
          <button key={date} type="button" aria-pressed={index === day} onClick={() => setDay(index)}>
            {weekdayOf(date, language)}
            <b>{dayNumber(date)}</b>
          </button>
        ))}
      </fieldset>
      <table className="dg">
        <thead>
          <tr>
            <th className="corner">
              <span className="sr">{t('slot')}</span>
            </th>
            {days.map(({ date, slots }) => {
              const taken = slots.filter(
                ({ availability }) => availability !== 'free' && availability !== 'past',
              ).length;
              return (
                <th key={date} scope="col" className={date === today ? 'today' : ''}>
                  {date === today ? t('todayMark', { day: name(date) }) : name(date)}
                  <small>{slots.length === 0 ? t('closed') : t('taken', { taken, all: slots.length })}</small>
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ slotNumber, startsAtMs }) => (
            <tr key={slotNumber}>
              <th scope="row">
                {formatTime(startsAtMs, timeZone, language)}
                <small>{t('slotNumber', { n: slotNumber })}</small>
              </th>
              {days.map(({ date, slots }, index) => {
                const slot = slots.find((other) => other.slotNumber === slotNumber);
                const shown = pickShown(week.reservations, date, slotNumber);
                return (
                  <td key={date} className={index === day ? 'd0' : ''}>
                    {shown ? (
                      <SlotCell reservation={shown} week={week} nowMs={nowMs} />
                    ) : (
                      <span className="free">
                        {!slot ? t('closed') : slot.availability === 'past' ? t('over') : t('free')}
                      </span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {week.reservations.length === 0 && (
        <div className="card-f">
          <b>{t('emptyTitle')}</b> <a href="/book">{t('emptyText')}</a>
        </div>
      )}
    </div>
  );
}

/** The live one; else what needs a person; else the newest that ended with more than time running out. */
function pickShown(
  reservations: readonly ShownReservation[],
  date: string,
  slotNumber: number,
): ShownReservation | undefined {
  const here = reservations.filter((r) => r.projectionDate === date && r.slotNumber === slotNumber);
  return (
    here.find(isLive) ??
    here.find(({ problem }) => problem !== null) ??
    here.find(({ status, refundState }) => status === 'cancelled' || refundState !== null)
  );
}

function SlotCell({
  reservation,
  week,
  nowMs,
}: {
  readonly reservation: ShownReservation;
  readonly week: Week;
  readonly nowMs: number;
}) {
  const { t, i18n } = useTranslation('bookings');
  const { word, state, icon } = lookOfReservation(reservation);
  const { title, customerName, problem, payUntilMs } = reservation;
  const leftMs = Math.max(reservation.holdExpiresAtMs - nowMs, 0);
  const params = { id: String(reservation.id) };
  if (word === 'confirmed' || word === 'served') {
    return (
      <Link className="slot calm1" to="/reservations/$id" params={params} data-state={state}>
        <span className="l2 nm">
          <span className="sr">{t(`state.${word}`)}: </span>
          {title}
        </span>
        <span className="l2 mute">{customerName}</span>
      </Link>
    );
  }
  return (
    <Link className="slot" to="/reservations/$id" params={params} data-state={state}>
      <span className="l1">
        <Icon name={icon} />
        {t(`state.${word}`)}
        {word === 'hold' && (
          <span className="cd">
            {Math.floor(leftMs / 60_000)}:{String(Math.floor((leftMs % 60_000) / 1_000)).padStart(2, '0')}
          </span>
        )}
      </span>
      <span className={word === 'hold' ? 'l2' : 'l2 two-l'}>
        {word === 'cancelled' ? t('freeAgain') : title}
        {problem && ` · ${t(`problem.${problem}`)}`}
        {word === 'payment_pending' &&
          payUntilMs !== null &&
          ` · ${t('until', { time: formatTime(payUntilMs, week.timeZone, languageOf(i18n.language)) })}`}
      </span>
      {word === 'hold' && <TimeBar share={leftMs / week.holdMs} state="hold" />}
    </Link>
  );
}
