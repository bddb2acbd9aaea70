/** One reservation: in short, its path, the full story, the money, the mail as it was read, the race. */
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiProblem } from '../../api/api-problem.ts';
import { formatMoney, formatStart, formatTime, languageOf, quoteTitle } from '../../book/format-booking.ts';
import { formatLeft } from '../../parts/format-time.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { lookOfReservation } from './reservation-look.ts';
import { StoryActs } from './story-acts.tsx';
import { StoryAside } from './story-aside.tsx';
import type { StoryFormats } from './story-entries.ts';
import { StoryTimeline } from './story-timeline.tsx';
import { inShort, pathOf } from './story-words.ts';
import { useStory } from './use-bookings.ts';

export function StoryPage() {
  const { t, i18n } = useTranslation('bookings');
  const language = languageOf(i18n.language);
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useStory(id);
  if (error instanceof ApiProblem && (error.status === 404 || error.status === 400)) {
    return (
      <div className="card empty">
        <h3>{t('story.notFound')}</h3>
      </div>
    );
  }
  if (!data) return error ? <ProblemNote error={error} onAgain={() => void refetch()} /> : null;
  const { story, timeZone } = data;
  const { reservation: r } = story;
  const formats: StoryFormats = {
    time: (ms) => formatTime(ms, timeZone, language, true),
    span: (ms) =>
      (language === 'ja' ? spanInJapanese(formatLeft(ms)) : formatLeft(ms)).replace(/(?<= min) 0 s$|(?<=分)0秒$/, ''),
    money: (amount) => formatMoney(amount, r.currency, language),
  };
  const { word, state, icon } = lookOfReservation(r);
  const short = inShort(story, t, formats);
  return (
    <>
      <div className="page-h">
        <h1>
          {t('story.title', {
            start: formatStart(r.projectionDate, r.slotStartsAtMs, timeZone, language),
            n: r.slotNumber,
          })}
        </h1>
        <StateBadge state={state} icon={icon} word={t(`state.${word}`)} />
        <span className="sub">
          {r.customerName} · {quoteTitle(r.title, language)}
        </span>
        <StoryActs story={story} money={formats.money} />
      </div>
      <div className="stack">
        <section className="card">
          <div className="card-h">
            <h2>{t('story.inShort')}</h2>
          </div>
          <p className="in-short">
            {short.text} {short.isOver && <b className="strong">{t('story.nothingLeft')}</b>}
          </p>
          <ol className="path" aria-label={t('story.path')}>
            {pathOf(story, t, formats).map((step) => (
              <li key={`${step.word}-${step.text}`}>
                <StateBadge state={step.state} icon={step.icon} word={step.word} />
                <span className="xs">{step.text}</span>
              </li>
            ))}
          </ol>
        </section>
        <div className="grid g-main">
          <StoryTimeline story={story} formats={formats} />
          <StoryAside story={story} formats={formats} />
        </div>
      </div>
    </>
  );
}

/** 「2.0秒」, 「15分0秒」. */
function spanInJapanese(span: string): string {
  return span.replace(' h', '時間').replace(' min', '分').replace(' s', '秒').replaceAll(' ', '');
}
