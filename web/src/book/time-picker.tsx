import { useTranslation } from 'react-i18next';
import type { DayReply } from '../../../src/server/index.ts';
import { formatTime, languageOf } from './format-booking.ts';
import { goTo } from './use-path.ts';

type Offer = DayReply['slots'][number];

export interface TimePickerProps {
  readonly offers: readonly Offer[];
  readonly timeZone: string;
  readonly chosen: number | undefined;
  /** The one that somebody else got a moment ago. */
  readonly justTaken: number | undefined;
  readonly canTake: (offer: Offer) => boolean;
  readonly onChoose: (slotNumber: number) => void;
}

/** The times of a day: one can be chosen, by pointer or by arrow keys. */
export function TimePicker({ offers, timeZone, chosen, justTaken, canTake, onChoose }: TimePickerProps) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  if (offers.length === 0) return <p className="fine">{t('time.closed')}</p>;
  const free = offers.filter(canTake);
  const focusable = chosen ?? free[0]?.slotNumber;
  const move = (from: number, by: 1 | -1): void => {
    const index = free.findIndex(({ slotNumber }) => slotNumber === from);
    const next = free[(index + by + free.length) % free.length];
    if (!next) return;
    onChoose(next.slotNumber);
    document.getElementById(`time-${next.slotNumber}`)?.focus();
  };
  return (
    <div className="slots" role="radiogroup" aria-label={t('time.title')}>
      {offers.map((offer) => {
        const { slotNumber, startsAtMs, ownReservationId } = offer;
        const isChosen = slotNumber === chosen;
        const canChoose = canTake(offer);
        const words = isChosen
          ? t('time.yours')
          : slotNumber === justTaken && !canChoose
            ? t('time.justTaken')
            : ownReservationId !== undefined
              ? t('time.own')
              : t(`time.${wordOf(offer)}`);
        return (
          // biome-ignore lint/a11y/useSemanticElements: a button that looks like a card; arrow keys are handled below
          <button
            key={slotNumber}
            id={`time-${slotNumber}`}
            type="button"
            role="radio"
            aria-checked={isChosen}
            aria-disabled={!canChoose && ownReservationId === undefined}
            tabIndex={slotNumber === focusable || ownReservationId !== undefined ? 0 : -1}
            className={slotNumber === justTaken && !canChoose ? 'just' : offer.availability === 'held' ? 'held' : ''}
            onClick={() => {
              if (ownReservationId !== undefined) goTo(`/book/${ownReservationId}`);
              else if (canChoose) onChoose(slotNumber);
            }}
            onKeyDown={({ key }) => {
              if (key === 'ArrowRight' || key === 'ArrowDown') move(slotNumber, 1);
              if (key === 'ArrowLeft' || key === 'ArrowUp') move(slotNumber, -1);
            }}
          >
            <b>{formatTime(startsAtMs, timeZone, language)}</b>
            <small>{words}</small>
          </button>
        );
      })}
    </div>
  );
}

export function isFree({ availability }: Offer): boolean {
  return availability === 'free';
}

function wordOf({ availability }: Offer): 'booked' | 'checking' | 'free' | 'past' | 'paying' {
  const words = { free: 'free', held: 'paying', settling: 'checking', taken: 'booked', past: 'past' } as const;
  return words[availability];
}
