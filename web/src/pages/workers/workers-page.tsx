import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { callApi } from '../../api/call-api.ts';
import { useLeader } from '../../api/use-leader.ts';
import { mayAct, useSession } from '../../api/use-session.ts';
import { isLiveWorker, shownState, useWorkers, type Worker } from '../../api/use-workers.ts';
import { ActDialog } from '../../parts/act-dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Epoch } from '../../parts/epoch.tsx';
import { formatLeft } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { TimeBar } from '../../parts/time-bar.tsx';
import { useNow } from '../../parts/use-now.ts';
import { When } from '../../parts/when.tsx';

const looks = {
  ACTIVE: ['ok', 's-succeeded'],
  SILENT: ['warn', 's-warn'],
  DRAINING: ['confirming', 's-hold'],
  DETACHED: ['orphaned', 's-orphaned'],
  STOPPED: ['skipped', 's-skipped'],
} as const;

type Acting = { readonly act: 'demote' } | { readonly act: 'detach' | 'drain'; readonly worker: Worker };

/** Who works, how much, and when they were last heard of; those that are silent first. */
export function WorkersPage() {
  const { t } = useTranslation();
  const { data: workers = [], error, refetch, isPending } = useWorkers();
  const leader = useLeader();
  const { data: session } = useSession();
  const [areStoppedShown, showStopped] = useState(false);
  const [acting, setActing] = useState<Acting>();
  const nowMs = useNow();
  const may = mayAct(session, 'operator');
  const present = workers.filter(({ state }) => state !== 'STOPPED');
  const stopped = workers.length - present.length;
  const shown = [...(areStoppedShown ? workers : present)].sort(
    (a, b) => Number(shownState(b, nowMs) === 'SILENT') - Number(shownState(a, nowMs) === 'SILENT'),
  );
  return (
    <>
      <div className="page-h">
        <h1>{t('workers.title')}</h1>
        <span className="sub">
          {t('workers.sub', {
            live: present.filter((worker) => isLiveWorker(worker, nowMs)).length,
            all: present.length,
          })}
        </span>
        <div className="push row wrap">
          {leader.data && (
            <span className="epoch">
              {t('foot.leader')} {leader.data.name}, {t('foot.epoch')}{' '}
              <b>
                <Epoch value={leader.data.epoch} />
              </b>
            </span>
          )}
          <Button
            className="btn warnish"
            isDisabled={!may || !leader.data}
            onPress={() => setActing({ act: 'demote' })}
          >
            {t('workers.demote')}
          </Button>
        </div>
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      <div className="card">
        {workers.length === 0 && !isPending ? (
          <Empty title={t('workers.empty')}>
            <p>
              {t('workers.emptyText')} <code>kannuki worker</code>
            </p>
          </Empty>
        ) : (
          <table className="tbl fixed cards workers">
            <thead>
              <tr>
                <th>{t('workers.name')}</th>
                <th>{t('workers.state')}</th>
                <th>{t('workers.load')}</th>
                <th>{t('workers.heard')}</th>
                <th>{t('workers.since')}</th>
                <th className="r">
                  <span className="sr">{t('find.acts')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((worker) => (
                <WorkerRow key={worker.id} worker={worker} nowMs={nowMs} may={may} onAct={setActing} />
              ))}
            </tbody>
          </table>
        )}
        {stopped > 0 && (
          <div className="card-f">
            <button type="button" className="linkish" onClick={() => showStopped(!areStoppedShown)}>
              {areStoppedShown ? t('workers.hideStopped') : t('workers.showStopped', { count: stopped })}
            </button>
          </div>
        )}
      </div>
      {acting && (
        <WorkerActDialog acting={acting} leader={leader.data?.name ?? ''} onClose={() => setActing(undefined)} />
      )}
    </>
  );
}

interface WorkerRowProps {
  readonly worker: Worker;
  readonly nowMs: number;
  readonly may: boolean;
  readonly onAct: (acting: Acting) => void;
}

function WorkerRow({ worker, nowMs, may, onAct }: WorkerRowProps) {
  const { t } = useTranslation();
  const { id, name, capacity, load, leading, seenAtMs, registeredAtMs } = worker;
  const state = shownState(worker, nowMs);
  const [look, icon] = looks[state];
  return (
    <tr>
      <td className="lead-cell strong" title={`${name} #${id}`}>
        {name} <span className="mute xs">#{id}</span> {leading && <span className="chip">{t('workers.leader')}</span>}
      </td>
      <td>
        <StateBadge state={look} icon={icon} word={t(`workers.state_${state}`)} />
      </td>
      <td className="bar">
        <span className="kcell load">
          <TimeBar share={capacity > 0 ? load / capacity : 0} state={state === 'SILENT' ? 'warn' : 'info'} />
          <Link className="num xs" to="/runs" search={{ worker: id, state: 'running' }}>
            {load} / {capacity}
          </Link>
        </span>
      </td>
      <td className="num" data-state={state === 'SILENT' ? 'warn' : undefined}>
        <time dateTime={new Date(seenAtMs).toISOString()}>{formatLeft(Math.max(nowMs - seenAtMs, 0))}</time>
      </td>
      <td className="hide">
        <When ms={registeredAtMs} nowMs={nowMs} />
      </td>
      <td className="r">
        {worker.state !== 'STOPPED' && (
          <span className="row acts">
            <Button
              className="btn sm"
              isDisabled={!may || worker.state !== 'ACTIVE'}
              onPress={() => onAct({ act: 'drain', worker })}
            >
              {t('workers.drain')}
            </Button>
            <Button
              className="btn sm warnish"
              isDisabled={!may || worker.state === 'DETACHED'}
              onPress={() => onAct({ act: 'detach', worker })}
            >
              <Icon name="s-orphaned" small />
              {t('workers.detach')}
            </Button>
          </span>
        )}
      </td>
    </tr>
  );
}

interface WorkerActDialogProps {
  readonly acting: Acting;
  readonly leader: string;
  readonly onClose: () => void;
}

function WorkerActDialog({ acting, leader, onClose }: WorkerActDialogProps) {
  const { t } = useTranslation();
  if (acting.act === 'demote') {
    return (
      <ActDialog
        dangerous
        why="needed"
        title={t('workers.demoteTitle', { leader })}
        text={t('workers.demoteText')}
        doLabel={t('workers.demoteDo')}
        onDo={async (why) => {
          const { demoted } = await callApi<{ demoted: boolean }>('POST', '/api/v1/leader/demote', { why });
          return t(demoted ? 'workers.demoted' : 'workers.notDemoted');
        }}
        onClose={onClose}
      />
    );
  }
  const { act, worker } = acting;
  return (
    <ActDialog
      dangerous={act === 'detach'}
      why={act === 'detach' ? 'needed' : 'optional'}
      title={t(`workers.${act}Title`, { worker: worker.name })}
      text={t(`workers.${act}Text`, { count: worker.load })}
      doLabel={t(`workers.${act}Do`)}
      onDo={async (why) => {
        await callApi('POST', `/api/v1/workers/${worker.id}/${act}`, { ...(why !== undefined && { why }) });
        return t(act === 'drain' ? 'workers.drained' : 'workers.detached', { worker: worker.name });
      }}
      onClose={onClose}
    />
  );
}
