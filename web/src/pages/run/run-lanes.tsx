import { useTranslation } from 'react-i18next';
import { useWorkerNames } from '../../api/use-workers.ts';
import { Epoch } from '../../parts/epoch.tsx';
import { formatClock } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { stateSlug } from '../../parts/run-state.tsx';
import { isEnded } from '../runs/run-selection.ts';
import type { RunStory, Transition } from './use-run.ts';

interface Segment {
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: string;
  readonly kind: '' | 'wait' | 'hatch';
  readonly word: 'run.running' | 'run.silent' | 'run.waiting';
}

interface Lane {
  readonly key: string;
  readonly workerId: number | null;
  readonly attempt: number;
  readonly epoch: number | null;
  readonly segments: readonly Segment[];
  /** How it ended there, and when. */
  readonly end: { readonly atMs: number; readonly state: string } | undefined;
}

/** One lane per worker and attempt; what came too late is marked where it happened. */
export function RunLanes({ story, nowMs }: { readonly story: RunStory; readonly nowMs: number }) {
  const { t, i18n } = useTranslation();
  const names = useWorkerNames();
  const { run, transitions, refusals } = story;
  const untilMs = run.finishedAtMs ?? nowMs;
  const lanes = lanesOf(transitions, untilMs, run);
  if (lanes.length === 0) return null;
  const firstMs = Math.min(...lanes.flatMap(({ segments }) => segments.map(({ fromMs }) => fromMs)));
  const lastMs = Math.max(untilMs, ...refusals.map(({ atMs }) => atMs), firstMs + 1);
  const span = (lastMs - firstMs) * 1.04;
  const place = (ms: number): string => `${Math.min(Math.max(((ms - firstMs) / span) * 100, 0), 100)}%`;
  return (
    <div className="lanes">
      {lanes.map(({ key, workerId, attempt, epoch, segments, end }) => (
        <div key={key} className="lane">
          <div className="lb">
            <b className="clip">{workerId === null ? '–' : (names.get(workerId) ?? `#${workerId}`)}</b>
            <span className="mute">
              {t('run.attempt')} {attempt} · {t('run.epoch')} <Epoch value={epoch} />
            </span>
          </div>
          <div className="trk">
            {segments.map(({ fromMs, toMs, state, kind, word }) => (
              <span
                key={`${fromMs} ${state}`}
                className={`seg1 ${kind}`}
                data-state={state}
                style={{ left: place(fromMs), width: `${Math.max(((toMs - fromMs) / span) * 100, 0.5)}%` }}
              >
                {(toMs - fromMs) / span > 0.12 && t(word)}
              </span>
            ))}
            {end && <span className="seg1 edge" data-state={end.state} style={{ left: place(end.atMs) }} />}
            {refusals
              .filter((refusal) => refusal.workerId === workerId && (refusal.attempt ?? attempt) === attempt)
              .map(({ atMs }) => (
                <span
                  key={atMs}
                  className="zx"
                  style={{ left: place(atMs) }}
                  title={`${formatClock(atMs, i18n.language)} ${t('run.refused')}`}
                >
                  <Icon name="x" small />
                </span>
              ))}
          </div>
        </div>
      ))}
      <div className="ax">
        {[0, 0.25, 0.5, 0.75].map((part) => (
          <span key={part} className={part === 0 ? 'first' : undefined} style={{ left: `${part * 100}%` }}>
            {formatClock(firstMs + part * span, i18n.language)}
          </span>
        ))}
      </div>
    </div>
  );
}

function lanesOf(transitions: readonly Transition[], untilMs: number, run: RunStory['run']): readonly Lane[] {
  const lanes = new Map<string, { -readonly [Name in keyof Lane]: Lane[Name] }>();
  const ordered = [...transitions].sort((a, b) => a.version - b.version);
  for (const [at, { to, atMs, workerId, attempt, leaderEpoch }] of ordered.entries()) {
    const key = `${workerId} ${attempt}`;
    const lane = lanes.get(key) ?? { key, workerId, attempt, epoch: leaderEpoch, segments: [], end: undefined };
    const nextMs = ordered[at + 1]?.atMs ?? untilMs;
    if (to === 'ASSIGNED' || to === 'RUNNING') {
      lanes.set(key, lane);
      const isSilent = to === 'RUNNING' && run.continuation === 'CONFIRMING' && at === ordered.length - 1;
      lane.segments = [
        ...lane.segments,
        {
          fromMs: atMs,
          toMs: nextMs,
          state: isSilent ? 'confirming' : to === 'RUNNING' ? 'running' : 'assigned',
          kind: isSilent ? 'hatch' : to === 'RUNNING' ? '' : 'wait',
          word: isSilent ? 'run.silent' : to === 'RUNNING' ? 'run.running' : 'run.waiting',
        },
      ];
    } else if (lanes.has(key) && (isEnded(to) || to === 'ORPHANED')) lane.end = { atMs, state: stateSlug(to) };
  }
  return [...lanes.values()];
}
