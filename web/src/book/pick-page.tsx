/** Film, day, time, and who asks: everything that is decided before a time is kept. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BookingSessionReply } from '../../../src/server/index.ts';
import { BookingSummary } from './booking-summary.tsx';
import { ConflictNote } from './conflict-note.tsx';
import { DayPicker } from './day-picker.tsx';
import { Field } from './field.tsx';
import { formatLongDay, formatMoney, formatTime, languageOf } from './format-booking.ts';
import { readDraft, writeDraft } from './keep-draft.ts';
import { Note } from './note.tsx';
import { Steps } from './steps.tsx';
import { isFree, TimePicker } from './time-picker.tsx';
import { useDays } from './use-booking.ts';
import { isUnknown, useHold } from './use-hold.ts';

export function PickPage({ session }: { readonly session: BookingSessionReply }) {
  const { t, i18n } = useTranslation('book');
  const language = languageOf(i18n.language);
  const { today, timeZone, holdMs } = session.site;
  const [wanted] = useState(() => readWanted(today));
  const [from, setFrom] = useState(wanted?.date ?? today);
  const [pickedDate, setDate] = useState(wanted?.date);
  const [slotNumber, setSlot] = useState(wanted?.slotNumber);
  const [draft, setDraft] = useState(() => readDraft(session.customer));
  const [isChecked, setChecked] = useState(false);
  const [refusedAtMs, setRefusedAt] = useState(0);
  const hold = useHold();
  const { data, dataUpdatedAt } = useDays(from);

  const days = data?.days ?? [];
  // Until a day is chosen it is the first on which anything is free: late in the evening today is over.
  const date = pickedDate ?? days.find(({ slots }) => slots.some(isFree))?.date ?? from;
  const offers = days.find((day) => day.date === date)?.slots ?? [];
  // Until the next look the page still believes that the refused time is free.
  const refused = hold.error && hold.variables.projectionDate === date ? hold.variables.slotNumber : undefined;
  const canTake = (offer: (typeof offers)[number]): boolean =>
    isFree(offer) && (offer.slotNumber !== refused || dataUpdatedAt > refusedAtMs);
  const chosen = offers.find((offer) => offer.slotNumber === slotNumber && canTake(offer));
  const asked = hold.variables;
  const askedOffer =
    asked &&
    days.find((day) => day.date === asked.projectionDate)?.slots.find((offer) => offer.slotNumber === asked.slotNumber);
  const price = offers[0] ?? days.flatMap(({ slots }) => slots)[0];
  const minutes = Math.round(holdMs / 60_000);
  const change = (part: Partial<typeof draft>): void => {
    const next = { ...draft, ...part };
    setDraft(next);
    writeDraft(next);
  };
  const wrong = {
    film: draft.film.trim() === '' ? t('film.missing') : undefined,
    name: draft.name.trim() === '' ? t('you.nameMissing') : undefined,
    email: /^[^\s@<>",;]+@[^\s@<>",;]+\.[^\s@<>",;]+$/.test(draft.email.trim()) ? undefined : t('you.emailWrong'),
  };
  const submit = (): void => {
    setChecked(true);
    if (!chosen || hold.isPending) return;
    const first = (['film', 'name', 'email'] as const).find((name) => wrong[name] !== undefined);
    if (first) {
      document.getElementById(`field-${first}`)?.focus();
      return;
    }
    const { film, name, email } = draft;
    hold.mutate(
      {
        projectionDate: date,
        slotNumber: chosen.slotNumber,
        filmTitle: film.trim(),
        name: name.trim(),
        email: email.trim(),
        locale: language,
      },
      { onError: () => setRefusedAt(Date.now()) },
    );
  };
  const timeOf = (offer: { readonly startsAtMs: number } | undefined): string =>
    offer ? formatTime(offer.startsAtMs, timeZone, language) : '';
  const keepWords = chosen ? t('keepTime', { time: timeOf(chosen), minutes }) : t('keep', { minutes });
  const isUnsure = hold.isPending && isUnknown(hold.failureReason);

  return (
    <>
      <div className="hero">
        <div>
          <h1>{t('hero')}</h1>
          <p className="lead">
            {price &&
              t('lead', {
                minutes: Math.round((price.endsAtMs - price.startsAtMs) / 60_000),
                price: formatMoney(price.amount, price.currency, language),
              })}
          </p>
          <Steps now={draft.film.trim() === '' ? 1 : 2} />
        </div>
        <img className="heroart no-s" src="/wall-art.svg" alt="" />
      </div>
      <div className="two">
        <section className="panel">
          <h2>{t('film.title')}</h2>
          <div className="form one">
            <Field
              id="field-film"
              label={t('film.label')}
              help={t('film.hint')}
              value={draft.film}
              maxLength={120}
              wrong={isChecked ? wrong.film : undefined}
              onChange={(film) => change({ film })}
            />
          </div>
          <DayPicker
            session={session}
            days={days}
            from={from}
            chosen={date}
            onChoose={(next) => {
              setDate(next);
              setSlot(undefined);
            }}
            onFrom={(next) => {
              setFrom(next);
              setDate(next);
              setSlot(undefined);
            }}
          />
          <h2>
            {t('time.title')} <span className="light">{formatLongDay(date, language)}</span>
          </h2>
          {isUnsure && <Note state="warn" said title={t('unknown.title')} text={t('unknown.text')} />}
          {hold.error && asked?.projectionDate === date && (
            <ConflictNote error={hold.error} time={timeOf(askedOffer)} free={offers.filter(canTake).map(timeOf)} />
          )}
          <TimePicker
            offers={offers}
            timeZone={timeZone}
            chosen={chosen?.slotNumber}
            justTaken={refused}
            canTake={canTake}
            onChoose={(next) => {
              setDate(date);
              setSlot(next);
            }}
          />
          {offers.some(({ availability }) => availability === 'held') && (
            <p className="fine below">{t('time.mayOpen', { minutes })}</p>
          )}
        </section>
        <BookingSummary
          film={draft.film.trim()}
          date={date}
          offer={chosen}
          timeZone={timeZone}
          amount={chosen ?? price}
        >
          <div className="form one">
            <Field
              id="field-name"
              label={t('you.name')}
              value={draft.name}
              maxLength={80}
              autoComplete="name"
              wrong={isChecked ? wrong.name : undefined}
              onChange={(name) => change({ name })}
            />
            <Field
              id="field-email"
              label={t('you.email')}
              help={t('you.emailHint')}
              type="email"
              value={draft.email}
              maxLength={320}
              autoComplete="email"
              wrong={isChecked ? wrong.email : undefined}
              onChange={(email) => change({ email })}
            />
          </div>
          <button type="button" className="btn primary big no-s" disabled={!chosen || hold.isPending} onClick={submit}>
            {hold.isPending ? t('keeping', { time: timeOf(askedOffer) }) : t('keep', { minutes })}
          </button>
          <p className="fine below">{chosen ? t('keepNote') : t('summary.pickFirst')}</p>
        </BookingSummary>
      </div>
      <div className="stick only-s">
        <button type="button" className="btn primary big" disabled={!chosen || hold.isPending} onClick={submit}>
          {hold.isPending ? t('keeping', { time: timeOf(askedOffer) }) : keepWords}
        </button>
      </div>
    </>
  );
}

/** A day, and a time of it, that another page of ours links to. */
function readWanted(today: string): { readonly date: string; readonly slotNumber?: number } | undefined {
  const query = new URLSearchParams(location.search);
  const date = query.get('date') ?? '';
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || date < today) return undefined;
  const slotNumber = Number(query.get('slot'));
  return slotNumber > 0 ? { date, slotNumber } : { date };
}
