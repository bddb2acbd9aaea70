/** The saved versions: who saved, how much changed, what it was; and back to it. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { formatMoment } from '../parts/format-time.ts';
import { Icon } from '../parts/icon.tsx';
import { useNow } from '../parts/use-now.ts';
import { compareTexts, type TextPart } from './compare-texts.ts';
import { formatAgo, formatSize, formatToken } from './format-figures.ts';
import { ownTokens } from './own-tokens.ts';
import { maxGenerations } from './save-status.tsx';
import { storyboardText } from './storyboard.ts';
import { type HistoryEntry, useHistory } from './use-history.ts';
import type { EditedStoryboard } from './use-storyboard.ts';

export interface HistoryDrawerProps {
  readonly edited: EditedStoryboard;
  readonly onClose: () => void;
  /** A sentence for the screen reader and the eye. */
  readonly say: (sentence: string) => void;
}

export function HistoryDrawer({ edited, onClose, say }: HistoryDrawerProps) {
  const { t } = useTranslation('editor');
  const { snapshot, autosave } = edited;
  const { saved, elsewhere, generations, phase } = snapshot;
  const entries = useHistory(autosave, `${saved?.time} ${elsewhere?.time} ${generations} ${phase === 'idle'}`);
  const [picked, setPicked] = useState<string>();
  const selected = entries?.find(({ key }) => key === picked) ?? entries?.[0];
  const bytes = entries?.reduce((sum, entry) => sum + entry.bytes, 0) ?? 0;
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus({ preventScroll: true }), []);
  return (
    <aside
      className="hist"
      aria-label={t('history.title')}
      ref={place}
      tabIndex={-1}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onClose();
      }}
    >
      <div className="card-h">
        <h2>{t('history.title')}</h2>
        <span className="mute xs">
          {t('history.kept', {
            n: entries?.length ?? 0,
            all: maxGenerations,
            size: formatSize(bytes),
            max: '50 MB',
          })}
        </span>
        <button type="button" className="btn icon sm ghost push" aria-label={t('history.close')} onClick={onClose}>
          <Icon name="x" />
        </button>
      </div>
      {entries?.length === 0 && (
        <div className="empty">
          <h3>{t('history.emptyTitle')}</h3>
          <p>{t('history.emptyText')}</p>
        </div>
      )}
      {entries && selected && (
        <>
          <VersionList entries={entries} selected={selected.key} onPick={setPicked} />
          <Preview entry={selected} edited={edited} say={say} />
        </>
      )}
    </aside>
  );
}

interface VersionListProps {
  readonly entries: readonly HistoryEntry[];
  readonly selected: string;
  readonly onPick: (key: string) => void;
}

function VersionList({ entries, selected, onPick }: VersionListProps) {
  const { t, i18n } = useTranslation('editor');
  const now = useNow();
  const own = ownTokens();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = entries.findIndex(({ key }) => key === selected);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key];
    const next = to === undefined ? undefined : entries[to];
    if (!next) return;
    event.preventDefault();
    onPick(next.key);
    list.current?.querySelectorAll<HTMLElement>('[role=option]')[entries.indexOf(next)]?.focus();
  };
  return (
    <div className="gens" role="listbox" aria-label={t('history.versions')} ref={list} tabIndex={-1} onKeyDown={move}>
      {entries.map((entry, i) => (
        <div
          key={entry.key}
          className="gen"
          role="option"
          aria-selected={entry.key === selected}
          tabIndex={entry.key === selected ? 0 : -1}
          onClick={() => onPick(entry.key)}
          onKeyDown={({ key }) => {
            if (key === 'Enter' || key === ' ') onPick(entry.key);
          }}
        >
          <span className="num xs">
            <b className="strong">{formatMoment(entry.time, i18n.language)}</b>
            <br />
            <span className="mute">
              {now - entry.time < 60_000 ? t('history.now') : formatAgo(entry.time, now, i18n.language)}
            </span>
          </span>
          <span className="xs">
            {t(own.has(entry.token) ? 'history.thisTab' : 'history.otherTab')}
            {i === 0 && ` · ${t('history.newest')}`}
            <br />
            <span className="mute" title={String(entry.token)}>
              {t('history.meta', { token: formatToken(entry.token), size: formatSize(entry.bytes) })}
            </span>
          </span>
          <span className="xs num right">
            <span className="sr">{t('history.changed', { added: entry.added, removed: entry.removed })}</span>
            <span aria-hidden="true">
              <span className="plus">+{entry.added}</span> <span className="minus">−{entry.removed}</span>
            </span>
          </span>
        </div>
      ))}
    </div>
  );
}

interface PreviewProps {
  readonly entry: HistoryEntry;
  readonly edited: EditedStoryboard;
  readonly say: (sentence: string) => void;
}

function Preview({ entry, edited, say }: PreviewProps) {
  const { t, i18n } = useTranslation('editor');
  const { board, canWrite, autosave, edit } = edited;
  const [isAsking, setAsking] = useState(false);
  const time = formatMoment(entry.time, i18n.language);
  const { board: older } = entry;
  if (!older) return <p className="hacts mute">{t('history.damaged')}</p>;
  const text = storyboardText(older);
  const restore = async (): Promise<void> => {
    setAsking(false);
    // What is on the page becomes a version first.
    await autosave?.flushNow();
    edit(() => older);
    say(t('history.restored', { time }));
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    say(t('history.copied'));
  };
  return (
    <div className="hacts">
      <h3>{t('history.against', { time })}</h3>
      <Difference parts={compareTexts(text, storyboardText(board))} />
      <div className="row">
        <button type="button" className="btn" disabled={!canWrite} onClick={() => setAsking(true)}>
          <Icon name="history" />
          {t('history.restore')}
        </button>
        <button type="button" className="btn ghost" onClick={() => void copy().catch(() => undefined)}>
          <Icon name="copy" />
          {t('history.copy')}
        </button>
      </div>
      {!canWrite && <p className="mute xs">{t('history.restoreFirst')}</p>}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('history.restoreTitle', { time })}
        text={t('history.restoreText')}
        keepLabel={t('history.restoreKeep')}
        doLabel={t('history.restoreDo')}
        onDo={() => void restore().catch(() => undefined)}
      />
    </div>
  );
}

/** Long stretches without a change are left out. */
function Difference({ parts }: { readonly parts: readonly TextPart[] }) {
  const { t } = useTranslation('editor');
  if (parts.every(({ kind }) => kind === 'same')) return <p className="diff mute">{t('history.same')}</p>;
  return (
    <div className="diff">
      {parts.map(({ kind, text }, i) => {
        // biome-ignore-start lint/suspicious/noArrayIndexKey: the parts have no name but their place.
        if (kind === 'added') return <ins key={i}>{text}</ins>;
        if (kind === 'removed') return <del key={i}>{text}</del>;
        return <span key={i}>{shorten(text, i === 0, i === parts.length - 1)}</span>;
        // biome-ignore-end lint/suspicious/noArrayIndexKey: see above.
      })}
    </div>
  );
}

function shorten(text: string, isFirst: boolean, isLast: boolean): string {
  const around = 60;
  if (text.length <= around * 2) return text;
  const head = isFirst ? '' : text.slice(0, around);
  const tail = isLast ? '' : text.slice(-around);
  return `${head}…${tail}`;
}
