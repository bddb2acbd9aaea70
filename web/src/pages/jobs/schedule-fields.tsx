import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { PreviewReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import type { Schedule } from './use-jobs.ts';

export interface ScheduleDraft {
  readonly kind: 'none' | Schedule['kind'];
  readonly cron: string;
  readonly at: string;
  readonly minutes: string;
  readonly once: string;
  readonly zone: string;
}

const kinds = ['none', 'cron', 'daily', 'every', 'once'] as const;

export function draftOf(schedule: Schedule | null): ScheduleDraft {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    kind: schedule?.kind ?? 'none',
    cron: schedule?.kind === 'cron' ? schedule.cron : '0 9 * * *',
    at: schedule?.kind === 'daily' ? schedule.at : '09:00',
    minutes: schedule?.kind === 'every' ? String(schedule.minutes) : '15',
    once: schedule?.kind === 'once' ? schedule.at : '',
    zone: schedule && 'zone' in schedule ? (schedule.zone ?? 'UTC') : schedule ? 'UTC' : here,
  };
}

/** Null: only when asked for. What the form does not show (clock changes) is kept from before. */
export function scheduleOf(draft: ScheduleDraft, before: Schedule | null): Schedule | null {
  const { kind, cron, at, minutes, once, zone } = draft;
  const dst = before && 'dst' in before && before.dst ? { dst: before.dst } : {};
  if (kind === 'cron') return { kind, cron, zone, ...dst };
  if (kind === 'daily') return { kind, at, zone, ...dst };
  if (kind === 'every') {
    const from = before?.kind === 'every' && before.from !== undefined ? { from: before.from } : {};
    return { kind, minutes: Number(minutes), ...from };
  }
  return kind === 'once' ? { kind, at: once } : null;
}

export interface ScheduleFieldsProps {
  readonly draft: ScheduleDraft;
  readonly schedule: Schedule | null;
  readonly onChange: (draft: ScheduleDraft) => void;
}

/** When a job is due; the next five times stand beside it while it is written. */
export function ScheduleFields({ draft, schedule, onChange }: ScheduleFieldsProps) {
  const { t } = useTranslation();
  const id = useId();
  const field = (name: 'at' | 'cron' | 'minutes' | 'once' | 'zone', word: string, list?: string) => (
    <div className="field">
      <label htmlFor={`${id}-${name}`}>{word}</label>
      <input
        id={`${id}-${name}`}
        maxLength={256}
        list={list}
        value={draft[name]}
        onChange={({ target }) => onChange({ ...draft, [name]: target.value })}
      />
    </div>
  );
  return (
    <div className="schedule">
      <div>
        <div className="field">
          <label htmlFor={`${id}-kind`}>{t('jobs.fieldWhen')}</label>
          <select
            id={`${id}-kind`}
            className="input"
            value={draft.kind}
            onChange={({ target }) => onChange({ ...draft, kind: target.value as ScheduleDraft['kind'] })}
          >
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {t(`jobs.when_${kind}`)}
              </option>
            ))}
          </select>
        </div>
        {draft.kind === 'cron' && field('cron', t('jobs.fieldCron'))}
        {draft.kind === 'daily' && field('at', t('jobs.fieldAt'))}
        {draft.kind === 'every' && field('minutes', t('jobs.fieldMinutes'))}
        {draft.kind === 'once' && field('once', t('jobs.fieldOnce'))}
        {(draft.kind === 'cron' || draft.kind === 'daily') && (
          <>
            {field('zone', t('jobs.fieldZone'), `${id}-zones`)}
            <datalist id={`${id}-zones`}>
              {Intl.supportedValuesOf('timeZone').map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
      </div>
      {schedule && <NextFive schedule={schedule} zone={draft.zone} />}
    </div>
  );
}

function NextFive({ schedule, zone }: { readonly schedule: Schedule; readonly zone: string }) {
  const { t } = useTranslation();
  const asked = useDeferredValue(schedule);
  const { data, error } = useQuery({
    queryKey: ['preview', asked],
    retry: false,
    queryFn: () => callApi<PreviewReply>('POST', '/api/v1/schedules/preview', { schedule: asked, count: 5 }),
  });
  return (
    <div className="next-five" aria-live="polite">
      <h3>
        {t('jobs.nextFive')} <span className="mute xs">{t('jobs.nextFiveIn', { zone })}</span>
      </h3>
      {error ? (
        <p className="fg" data-state="failed">
          {error.message}
        </p>
      ) : (
        <DueTimes times={data?.nextDueTimes ?? []} isKnown={data !== undefined} />
      )}
    </div>
  );
}

export function DueTimes(props: { readonly times: PreviewReply['nextDueTimes']; readonly isKnown: boolean }) {
  const { t, i18n } = useTranslation();
  if (props.times.length === 0) return props.isKnown ? <p className="mute">{t('jobs.noNext')}</p> : null;
  const weekday = new Intl.DateTimeFormat(i18n.language, { weekday: 'short', timeZone: 'UTC' });
  return (
    <ol className="due-times">
      {props.times.map(({ scheduledForMs, localTime, kind, reason }) => (
        <li key={`${scheduledForMs} ${localTime}`} className={kind === 'due' ? undefined : 'mute'}>
          <time dateTime={new Date(scheduledForMs).toISOString()} title={new Date(scheduledForMs).toISOString()}>
            <span className="mute">{weekday.format(new Date(`${localTime}Z`))}</span> {localTime.replace('T', ' ')}
          </time>
          {reason && <span className="xs mute"> {reason}</span>}
        </li>
      ))}
    </ol>
  );
}
