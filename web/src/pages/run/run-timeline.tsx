import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWorkerNames } from '../../api/use-workers.ts';
import { Epoch } from '../../parts/epoch.tsx';
import { formatClock, formatTook } from '../../parts/format-time.ts';
import { RunStateBadge, stateOfSlug, stateSlug } from '../../parts/run-state.tsx';
import type { Refusal, RunStory, Transition } from './use-run.ts';

interface Entry {
  readonly key: string;
  readonly atMs: number;
  readonly state: string;
  readonly isRefused: boolean;
  readonly body: ReactNode;
}

/** Every transition, newest first, with who, attempt, epoch and version; a refused write stands out. */
export function RunTimeline({ story }: { readonly story: RunStory }) {
  const { t, i18n } = useTranslation();
  const [isRefusedOnly, setRefusedOnly] = useState(false);
  const { run, transitions, refusals, cancel } = story;
  const entries: Entry[] = [
    { key: 'created', atMs: run.createdAtMs, state: 'pending', isRefused: false, body: <CreatedEntry run={run} /> },
    ...transitions.map((step) => ({
      key: `v${step.version}`,
      atMs: step.atMs,
      state: stateSlug(step.to),
      isRefused: false,
      body: <TransitionEntry step={step} />,
    })),
    ...refusals.map((refusal, at) => ({
      key: `r${at}`,
      atMs: refusal.atMs,
      state: 'refused',
      isRefused: true,
      body: <RefusedEntry refusal={refusal} />,
    })),
    ...(cancel
      ? [
          {
            key: 'cancel',
            atMs: cancel.requestedAtMs,
            state: 'canceled',
            isRefused: false,
            body: (
              <>
                <div className="hd">
                  <strong>{t('run.cancelAsked', { by: cancel.requestedBy })}</strong>
                </div>
                {cancel.why && <p>{cancel.why}</p>}
              </>
            ),
          },
        ]
      : []),
  ];
  const order = new Map(entries.map(({ key }, at) => [key, at]));
  entries.sort((a, b) => b.atMs - a.atMs || (order.get(b.key) ?? 0) - (order.get(a.key) ?? 0));
  const shown = isRefusedOnly ? entries.filter(({ isRefused }) => isRefused) : entries;
  return (
    <section className="card" aria-labelledby="transitions">
      <div className="card-h">
        <h2 id="transitions">{t('run.transitions')}</h2>
        <span className="mute no-s">{t('run.newest')}</span>
        <fieldset className="push seg" aria-label={t('run.which')}>
          <button type="button" aria-pressed={!isRefusedOnly} onClick={() => setRefusedOnly(false)}>
            {t('run.allCount', { count: entries.length })}
          </button>
          <button type="button" aria-pressed={isRefusedOnly} onClick={() => setRefusedOnly(true)}>
            {t('run.refusedOnly', { count: refusals.length })}
          </button>
        </fieldset>
      </div>
      <div className="card-b">
        <ol className="tl">
          {shown.map(({ key, atMs, state, body }, at) => {
            const before = shown[at + 1];
            return (
              <li key={key}>
                <div className="t">
                  <b>
                    <time dateTime={new Date(atMs).toISOString()}>{formatClock(atMs, i18n.language)}</time>
                  </b>
                  {before && `+${formatTook(Math.max(atMs - before.atMs, 0))}`}
                </div>
                <div className="pin" data-state={state}>
                  <i />
                </div>
                <div className="what">{body}</div>
              </li>
            );
          })}
        </ol>
      </div>
    </section>
  );
}

function CreatedEntry({ run }: { readonly run: RunStory['run'] }) {
  const { t } = useTranslation();
  return (
    <>
      <div className="hd">
        <RunStateBadge state="PENDING" /> {t('run.created')}
      </div>
      <div className="meta">
        <span>
          {t('run.trigger')} <b>{t(`run.trigger_${run.trigger}`)}</b>
        </span>
        <span>
          {t('run.priority')} <b>{run.priority}</b>
        </span>
      </div>
    </>
  );
}

function TransitionEntry({ step }: { readonly step: Transition }) {
  const { t } = useTranslation();
  const names = useWorkerNames();
  return (
    <>
      <div className="hd">
        <RunStateBadge state={step.from} />
        <Arrow />
        <RunStateBadge state={step.to} />
      </div>
      <p>{step.why}</p>
      <div className="meta">
        {step.workerId !== null && (
          <span>
            {t('run.worker')} <b>{names.get(step.workerId) ?? `#${step.workerId}`}</b>
          </span>
        )}
        <span>
          {t('run.attempt')} <b>{step.attempt}</b>
        </span>
        {step.leaderEpoch !== null && (
          <span>
            {t('run.epoch')}{' '}
            <b>
              <Epoch value={step.leaderEpoch} />
            </b>
          </span>
        )}
        <span>
          {t('run.version')}{' '}
          <b>
            {step.version - 1} → {step.version}
          </b>
        </span>
      </div>
    </>
  );
}

function RefusedEntry({ refusal }: { readonly refusal: Refusal }) {
  const { t } = useTranslation();
  const names = useWorkerNames();
  const { workerId, attempt, leaderEpoch, version, wanted, reason } = refusal;
  const wantedState = stateOfSlug(wanted);
  return (
    <>
      <div className="hd">
        <strong className="fg" data-state="refused">
          {t('run.refused')}
        </strong>
      </div>
      <div className="refused" data-state="refused">
        <div className="plain">
          <div className="row wrap">
            <RunStateBadge state="RUNNING" />
            <Arrow />
            <s className="mute">{wantedState ? t(`runState.${wantedState}`) : wanted}</s>
            <span className="chip">{reason}</span>
          </div>
          <p>
            {t('run.refusedText', {
              worker: workerId === null ? '–' : (names.get(workerId) ?? `#${workerId}`),
              attempt: attempt ?? '–',
            })}
          </p>
          <div className="meta">
            <span>
              {t('run.cameWith')}{' '}
              <b>
                <Epoch value={leaderEpoch} />
              </b>
            </span>
            <span>
              {t('run.version')} <b>{version ?? '–'}</b>
            </span>
          </div>
        </div>
      </div>
    </>
  );
}

function Arrow() {
  return (
    <svg className="ic arrow" aria-hidden="true">
      <use href="#i-arrow" />
    </svg>
  );
}
