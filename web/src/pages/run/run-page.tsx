import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiProblem } from '../../api/api-problem.ts';
import { formatMoment, formatTook } from '../../parts/format-time.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { RunStateBadge } from '../../parts/run-state.tsx';
import { TimeBar } from '../../parts/time-bar.tsx';
import { useNow } from '../../parts/use-now.ts';
import { When } from '../../parts/when.tsx';
import { hasHidden, JsonView } from './json-view.tsx';
import { LogCard } from './log-card.tsx';
import { RunActs } from './run-acts.tsx';
import { RunLanes } from './run-lanes.tsx';
import { RunTimeline } from './run-timeline.tsx';
import { type Run, type RunStory, useRun } from './use-run.ts';

/** One run: who had it and when, every step, what it said, and what can be done. */
export function RunPage() {
  const { id } = useParams({ from: '/shell/runs/$id' });
  const { t, i18n } = useTranslation();
  const { data: story, error, refetch, dataUpdatedAt } = useRun(id);
  if (!story) {
    const isMissing = error instanceof ApiProblem && (error.status === 404 || error.status === 400);
    return (
      <>
        <h1 className={error ? undefined : 'sr'}>{isMissing ? t('run.none', { id }) : t('find.run', { id })}</h1>
        {error && !isMissing && <ProblemNote error={error} onAgain={() => void refetch()} />}
      </>
    );
  }
  const { run } = story;
  return (
    <>
      <div className="page-h">
        <h1>{run.job}</h1>
        <RunStateBadge state={run.state} continuation={run.continuation} />
        <code className="mute">{run.id}</code>
        <RunActs run={run} />
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      {error && <p className="mute xs">{t('act.asOf', { time: formatMoment(dataUpdatedAt, i18n.language) })}</p>}
      <div className="stack">
        <AttemptCard story={story} />
        <div className="grid g-main wide">
          <RunTimeline story={story} />
          <div className="stack">
            {run.error !== null && (
              <section className="card">
                <div className="card-h">
                  <h2>{t('run.error')}</h2>
                  {run.reason && <span className="chip">{run.reason}</span>}
                </div>
                <div className="card-b">
                  <p className="mono wrap-any">{run.error}</p>
                </div>
              </section>
            )}
            <LogCard key={id} id={id} />
            <PayloadCard run={run} />
          </div>
        </div>
      </div>
    </>
  );
}

function AttemptCard({ story }: { readonly story: RunStory }) {
  const { t } = useTranslation();
  const nowMs = useNow();
  const { run, refusals } = story;
  const dueMs = run.dueAtMs ?? run.scheduledForMs;
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    [t('run.due'), <When key="due" ms={dueMs} nowMs={nowMs} />],
    [t('run.dueToRunning'), run.startedAtMs === null ? '–' : formatTook(Math.max(run.startedAtMs - dueMs, 0))],
    [
      t('run.took'),
      run.startedAtMs === null ? '–' : formatTook(Math.max((run.finishedAtMs ?? nowMs) - run.startedAtMs, 0)),
    ],
    [
      t('run.trigger'),
      run.retryOf === null ? (
        t(`run.trigger_${run.trigger}`)
      ) : (
        <Link key="of" to="/runs/$id" params={{ id: String(run.retryOf) }}>
          {t('run.retryOf', { id: run.retryOf })}
        </Link>
      ),
    ],
    [t('run.idempotencyKey'), run.idempotencyKey ?? t('run.noKey')],
    run.progress === null
      ? [t('run.token'), run.startToken ?? '–']
      : [t('run.progress'), <TimeBar key="progress" share={run.progress} state="running" />],
  ];
  return (
    <section className="card" aria-labelledby="attempts">
      <div className="card-h">
        <h2 id="attempts">{t('run.attempts')}</h2>
        <span className="mute">
          {t('run.attemptsSub', { attempt: run.attempt })}
          {refusals.length > 0 && ` · ${t('run.refusedCount', { count: refusals.length })}`}
        </span>
      </div>
      <RunLanes story={story} nowMs={nowMs} />
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function PayloadCard({ run }: { readonly run: Run }) {
  const { t } = useTranslation();
  const like = firstPair(run.payload);
  return (
    <section className="card" aria-labelledby="payload">
      <div className="card-h">
        <h2 id="payload">{t('run.payload')}</h2>
        {like !== undefined && (
          <Link className="btn sm ghost push" to="/runs" search={{ payload: like, due: '7d' }}>
            {t('run.like')}
          </Link>
        )}
      </div>
      <div className="card-b">
        {run.payload === null || run.payload === undefined ? (
          <p className="mute">{t('run.noPayload')}</p>
        ) : (
          <JsonView value={run.payload} label={t('run.payload')} />
        )}
        {hasHidden(run.payload) && <p className="mute xs under">{t('run.hiddenNote')}</p>}
        {run.result !== null && run.result !== undefined && (
          <>
            <h3 className="under">{t('run.result')}</h3>
            <JsonView value={run.result} label={t('run.result')} />
          </>
        )}
      </div>
    </section>
  );
}

/** The first name with a plain value: what runs like this share. */
function firstPair(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return undefined;
  const found = Object.entries(payload).find(
    ([name, value]) =>
      !name.includes('.') &&
      !name.includes('=') &&
      (typeof value === 'number' || (typeof value === 'string' && !value.startsWith('[hidden: '))),
  );
  return found && `${found[0]}=${String(found[1])}`.slice(0, 500);
}
