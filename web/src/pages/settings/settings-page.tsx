import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import type { SettingsReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { mayAct, useSession } from '../../api/use-session.ts';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useToast } from '../../shell/toasts.tsx';

type Settings = SettingsReply['settings'];
type SettingKey = keyof Settings;

const groups = [
  {
    name: 'runs',
    settings: [
      ['reassign_after_seconds', 10, 'seconds'],
      ['overdue_margin_seconds', 10, 'seconds'],
    ],
  },
  {
    name: 'workers',
    settings: [
      ['worker_silent_after_seconds', 10, 'seconds'],
      ['continuation_retry_count', 3, 'times'],
      ['continuation_retry_interval_seconds', 0.3, 'seconds'],
      ['continuation_margin_seconds', 1.5, 'seconds'],
    ],
  },
  {
    name: 'logs',
    settings: [
      ['log_retention_days_db', 7, 'days'],
      ['history_retention_days', 0, 'days'],
    ],
  },
] as const satisfies readonly {
  readonly name: string;
  readonly settings: readonly (readonly [SettingKey, number, string])[];
}[];

const groupNames = [...groups.map(({ name }) => name), 'hidden'] as const;

/** One line per setting, with its unit and default; the bar below lists what would change. */
export function SettingsPage() {
  const { t } = useTranslation();
  const {
    data: settings,
    error,
    refetch,
  } = useQuery({
    queryKey: ['settings'],
    queryFn: async () => (await callApi<SettingsReply>('GET', '/api/v1/settings')).settings,
  });
  const { data: session } = useSession();
  const [drafts, setDrafts] = useState<Readonly<Partial<Record<SettingKey, string>>>>({});
  const may = mayAct(session, 'admin');
  const changed = (Object.entries(drafts) as [SettingKey, string][]).filter(
    ([key, text]) => settings && (text.trim() === '' || Number(text) !== settings[key]),
  );
  return (
    <>
      <div className="page-h">
        <h1>{t('settings.title')}</h1>
        <span className="sub">{t('settings.sub')}</span>
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      {!may && session && <p className="mute under-filters">{t('act.needs', { role: 'admin' })}</p>}
      <div className="lay">
        <nav className="toc" aria-label={t('settings.groups')}>
          {groupNames.map((name) => (
            <a key={name} href={`#set-${name}`}>
              {t(`settings.group_${name}`)}
            </a>
          ))}
        </nav>
        <div>
          <div className="stack">
            {groups.map(({ name, settings: lines }) => (
              <section key={name} className="card" id={`set-${name}`}>
                <div className="card-h">
                  <h2>{t(`settings.group_${name}`)}</h2>
                </div>
                {lines.map(([key, initial, unit]) => {
                  const now = settings?.[key];
                  const text = drafts[key] ?? (now === undefined ? '' : String(now));
                  const isChanged = changed.some(([one]) => one === key);
                  return (
                    <div key={key} className="set">
                      <div>
                        <label htmlFor={key}>{t(`settings.${key}`)}</label>
                        <div className="help" id={`${key}-help`}>
                          {t(`settings.${key}_help`)}
                        </div>
                      </div>
                      <div className="unit">
                        <input
                          className="input"
                          id={key}
                          inputMode="decimal"
                          maxLength={12}
                          disabled={!may || now === undefined}
                          aria-describedby={`${key}-help`}
                          aria-invalid={!Number.isFinite(Number(text)) || text.trim() === ''}
                          value={text}
                          onChange={({ target }) => setDrafts({ ...drafts, [key]: target.value })}
                        />
                        <span>{t(`settings.${unit}`)}</span>
                      </div>
                      <div className="xs mute">
                        {isChanged ? (
                          <span className="fg" data-state="warn">
                            {t('settings.changed', { value: now })}
                          </span>
                        ) : (
                          t('settings.default', { value: initial })
                        )}
                      </div>
                    </div>
                  );
                })}
              </section>
            ))}
            <section className="card" id="set-hidden">
              <div className="card-h">
                <h2>{t('settings.group_hidden')}</h2>
              </div>
              <p className="card-b soft">{t('settings.hiddenText')}</p>
            </section>
          </div>
          {changed.length > 0 && settings && (
            <SaveBar changed={changed} settings={settings} onDone={() => setDrafts({})} />
          )}
        </div>
      </div>
    </>
  );
}

interface SaveBarProps {
  readonly changed: readonly (readonly [SettingKey, string])[];
  readonly settings: Settings;
  readonly onDone: () => void;
}

function SaveBar({ changed, settings, onDone }: SaveBarProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const say = useToast();
  const isSound = changed.every(([, text]) => text.trim() !== '' && Number.isFinite(Number(text)));
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () => {
      // One by one: each is checked by itself, and what was saved before a refusal stays saved and is shown so.
      for (const [key, text] of changed) await callApi('POST', '/api/v1/settings', { key, value: Number(text) });
    },
    onSuccess: () => {
      say(t('settings.saved'));
      onDone();
    },
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <div className="save">
      <div>
        <b className="strong">{t('settings.changes', { count: changed.length })}</b>{' '}
        {changed.map(([key, text]) => `${t(`settings.${key}`)}: ${settings[key]} → ${text}`).join(' · ')}
        {(error || !isSound) && (
          <p className="fg" data-state="failed" role="alert">
            {error ? error.message : t('settings.notNumber')}
          </p>
        )}
      </div>
      <span className="push row">
        <Button className="btn ghost" onPress={onDone}>
          {t('settings.discard')}
        </Button>
        <Button className="btn primary" isDisabled={isPending || !isSound} onPress={() => mutate()}>
          {t('settings.save')}
        </Button>
      </span>
    </div>
  );
}
