import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { StoryReply } from '../../../../src/server/index.ts';
import { bookingLooks } from '../../parts/booking-looks.ts';
import { Icon } from '../../parts/icon.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { type StoryEntry, type StoryFormats, storyEntries } from './story-entries.ts';

export function StoryTimeline({
  story,
  formats,
}: {
  readonly story: StoryReply['story'];
  readonly formats: StoryFormats;
}) {
  const { t } = useTranslation('bookings');
  const [isCopied, setCopied] = useState(false);
  const entries = storyEntries(story, t, formats);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(JSON.stringify(story, null, 2));
    setCopied(true);
  };
  return (
    <section className="card">
      <div className="card-h">
        <h2>{t('story.full')}</h2>
        <span className="mute">{t('story.oldest')}</span>
        <span className="push no-s">
          <button type="button" className="btn sm ghost" onClick={() => void copy().catch(() => setCopied(false))}>
            <Icon name="copy" />
            {isCopied ? t('story.copied') : t('story.copy')}
          </button>
        </span>
      </div>
      <div className="card-b">
        <ol className="tl">
          {entries.map((entry, index) => (
            <Entry key={entry.key} entry={entry} before={entries[index - 1]} formats={formats} />
          ))}
        </ol>
      </div>
    </section>
  );
}

function Entry({
  entry,
  before,
  formats,
}: {
  readonly entry: StoryEntry;
  readonly before: StoryEntry | undefined;
  readonly formats: StoryFormats;
}) {
  const { atMs, state, from, to, title, chip, text, meta } = entry;
  return (
    <li>
      <div className="t">
        <time dateTime={new Date(atMs).toISOString()}>
          <b>{formats.time(atMs)}</b>
        </time>
        {before && atMs > before.atMs && `+${formats.span(atMs - before.atMs)}`}
      </div>
      <div className="pin" data-state={state}>
        <i />
      </div>
      <div className="what">
        <div className="hd">
          {from !== undefined && <StateWord name={from} />}
          {from !== undefined && to !== undefined && (
            <span className="arrow">
              <Icon name="arrow" />
            </span>
          )}
          {to !== undefined && <StateWord name={to} />}
          {title !== undefined && <strong>{title}</strong>}
          {chip !== undefined && <span className="chip">{chip}</span>}
        </div>
        {text !== undefined && <p>{text}</p>}
        {meta.length > 0 && (
          <div className="meta">
            {meta.map(([name, value]) => (
              <span key={name}>
                {name} <b>{value}</b>
              </span>
            ))}
          </div>
        )}
      </div>
    </li>
  );
}

function StateWord({ name }: { readonly name: string }) {
  const { t } = useTranslation('bookings');
  if (!isLooked(name)) return <StateBadge state="pending" word={name} />;
  return <StateBadge {...bookingLooks[name]} word={t(`state.${name}`)} />;
}

function isLooked(name: string): name is keyof typeof bookingLooks {
  return name in bookingLooks;
}
