import { useTranslation } from 'react-i18next';
import type { BookingSessionReply, DayReply } from '../../../src/server/index.ts';
import { Icon } from '../parts/icon.tsx';
import { addDays, dayNumber, formatMonth, languageOf, weekdayNumber, weekdayOf } from './format-booking.ts';

export interface DayPickerProps {
  readonly session: BookingSessionReply;
  readonly days: readonly DayReply[];
  readonly from: string;
  readonly chosen: string;
  readonly onChoose: (date: string) => void;
  readonly onFrom: (date: string) => void;
}

/** Seven days at a time. */
export function DayPicker({ session, days, from, chosen, onChoose, onFrom }: DayPickerProps) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  const { today, daysAhead } = session.site;
  const canGoBack = from > today;
  const isWeekBack = addDays(from, -7) >= today;
  const next = addDays(from, 7);
  const canGoOn = next <= addDays(today, daysAhead - 1);
  return (
    <>
      <div className="more-days">
        <h2>
          {t('day.title')} <span className="light">{formatMonth(chosen, language)}</span>
        </h2>
        <button
          type="button"
          className="btn ghost icon"
          aria-label={t('day.earlier')}
          disabled={!canGoBack}
          onClick={() => onFrom(isWeekBack ? addDays(from, -7) : today)}
        >
          <Icon name="left" />
        </button>
        <button
          type="button"
          className="btn ghost icon"
          aria-label={t('day.later')}
          disabled={!canGoOn}
          onClick={() => onFrom(next)}
        >
          <Icon name="right" />
        </button>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid row that scrolls on phones */}
      <div className="days" role="group" aria-label={t('day.title')}>
        {days.map(({ date, slots }) => {
          const free = slots.filter(({ availability }) => availability === 'free').length;
          const words =
            slots.length === 0
              ? t('day.closed')
              : slots.every(({ availability }) => availability === 'past')
                ? t('day.over')
                : free === 0
                  ? t('day.full')
                  : free === slots.length
                    ? t('day.free')
                    : t('day.left', { count: free });
          const weekday = weekdayNumber(date);
          return (
            <button
              key={date}
              type="button"
              className={weekday === 0 ? 'sun' : weekday === 6 ? 'sat' : ''}
              aria-pressed={date === chosen}
              onClick={() => onChoose(date)}
            >
              {weekdayOf(date, language)}
              <b>{dayNumber(date)}</b>
              <small>{words}</small>
            </button>
          );
        })}
      </div>
    </>
  );
}
