import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { formatClock } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { useToast } from '../../shell/toasts.tsx';
import { useLog } from './use-log.ts';

/** What the handler said, as it says it. Whoever has scrolled up is left where they are. */
export function LogCard({ id }: { readonly id: string }) {
  const { t, i18n } = useTranslation();
  const say = useToast();
  const { lines, dropped, ended, error } = useLog(id);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the lines.
  useEffect(() => {
    if (isAtEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(lines.map(({ text }) => text).join('\n')).catch(() => undefined);
    say(t('act.copied'));
  };
  return (
    <section className="card" aria-labelledby="log">
      <div className="card-h">
        <h2 id="log">{t('run.log')}</h2>
        {lines.length > 0 && <span className="chip">{t('run.logLines', { count: lines.length + dropped })}</span>}
        <button type="button" className="btn sm ghost push" onClick={() => void copy()}>
          <Icon name="copy" />
          {t('run.copy')}
        </button>
      </div>
      <div className="card-b">
        {lines.length === 0 ? (
          <p className="mute">{error ? error.message : t('run.logEmpty')}</p>
        ) : (
          <div
            ref={box}
            className="log tall"
            role="log"
            aria-label={t('run.log')}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
            tabIndex={0}
            onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
              isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
            }}
          >
            {dropped > 0 && <div className="sep">… {t('run.logLines', { count: dropped })}</div>}
            {lines.map(({ place, atMs, attempt, text }) => (
              <div key={place}>
                <span>{formatClock(atMs, i18n.language)}</span>
                <span>#{attempt}</span>
                <span>{text}</span>
              </div>
            ))}
          </div>
        )}
        <p className="mute xs under">{ended ? t('run.logEnded') : t('run.logFollows')}</p>
      </div>
    </section>
  );
}
