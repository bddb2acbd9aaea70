import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { nextPhase, previousPhase } from '../../../../src/core/rollout/phase.ts';
import type { FlagsReply, IncidentsReply, LockMetricsReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { mayAct, useSession } from '../../api/use-session.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { useLiveInterval } from '../../shell/live-context.ts';
import { type Asked, ChangeDialog } from './change-dialog.tsx';
import { Incidents } from './incidents.tsx';
import { PhaseRail } from './phase-rail.tsx';
import { Verdict } from './verdict.tsx';
import { WindowFigures } from './window-figures.tsx';

/** Verdict first, then the phases, then the figures, then what happened. */
export function RolloutPage() {
  const { t } = useTranslation();
  const { data: session } = useSession();
  const [asking, setAsking] = useState<Asked>();
  const again = { refetchInterval: useLiveInterval(5_000), placeholderData: keepPreviousData };
  const flags = useQuery({ queryKey: ['flags'], queryFn: () => callApi<FlagsReply>('GET', '/api/v1/flags'), ...again });
  const metrics = useQuery({
    queryKey: ['lock-metrics'],
    queryFn: () => callApi<LockMetricsReply>('GET', '/api/v1/metrics/lock'),
    ...again,
  });
  const incidents = useQuery({
    queryKey: ['incidents'],
    queryFn: () => callApi<IncidentsReply>('GET', '/api/v1/incidents'),
    ...again,
  });
  const error = flags.error ?? metrics.error ?? incidents.error;
  const { rollout, changes = [] } = flags.data ?? {};
  const may = mayAct(session, 'operator');
  const [before, after] = rollout ? [previousPhase(rollout.phase), nextPhase(rollout.phase)] : [];
  return (
    <>
      <div className="page-h">
        <h1>{t('rollout.title')}</h1>
        <span className="sub">{t('rollout.sub')}</span>
        <div className="push row">
          {rollout && before && (
            <Button
              className="btn warnish"
              isDisabled={!may}
              onPress={() => setAsking({ action: 'rollback', to: before, rollout })}
            >
              <Icon name="undo" />
              {t('rollout.back', { phase: before })}
            </Button>
          )}
          {rollout && after && (
            <Button
              className="btn primary"
              isDisabled={!may}
              onPress={() => setAsking({ action: 'promote', to: after, rollout })}
            >
              {t('rollout.promote', { phase: after })}
            </Button>
          )}
        </div>
      </div>
      <div className="stack">
        {error && <ProblemNote error={error} onAgain={() => void flags.refetch()} />}
        {rollout && metrics.data && (
          <>
            <Verdict rollout={rollout} summary={metrics.data} incident={incidents.data?.incidents[0]} />
            <PhaseRail rollout={rollout} changes={changes} />
            <WindowFigures rollout={rollout} summary={metrics.data} />
            <Incidents incidents={incidents.data?.incidents ?? []} changes={changes} />
            {asking && <ChangeDialog asked={asking} onClose={() => setAsking(undefined)} />}
          </>
        )}
      </div>
    </>
  );
}
