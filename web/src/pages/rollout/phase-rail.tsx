import { useTranslation } from 'react-i18next';
import { type Phase, phases } from '../../../../src/core/rollout/phase.ts';
import type { FlagsReply } from '../../../../src/server/index.ts';
import { formatMoment, formatPercent } from '../../parts/format-time.ts';

export function PhaseRail({ rollout, changes }: FlagsReply) {
  const { t, i18n } = useTranslation();
  const place = phases.indexOf(rollout.phase);
  const last = changes[0];
  const leftBack = last?.action === 'rollback' ? last.before.phase : undefined;
  const kindOf = (phase: Phase, i: number): 'done' | 'cur' | 'back' | 'later' =>
    i < place ? 'done' : i === place ? 'cur' : phase === leftBack ? 'back' : 'later';
  const texts = {
    done: t('rollout.done'),
    cur:
      rollout.phaseSinceMs === 0
        ? t('rollout.always')
        : t('rollout.now', { time: formatMoment(rollout.phaseSinceMs, i18n.language) }),
    back: t('rollout.rolledBack'),
    later: t('rollout.notYet'),
  };
  return (
    <section className="card">
      <div className="card-h">
        <h2>{t('rollout.phases')}</h2>
        <span className="mute">{t('rollout.phasesSub')}</span>
      </div>
      <ol className="phases">
        {phases.map((phase, i) => {
          const kind = kindOf(phase, i);
          return (
            <li key={phase} className={kind} {...(kind === 'cur' && { 'aria-current': 'step' })}>
              <div>
                <b>
                  {phase}
                  <span className="no-s"> · </span>
                  <span className="br-s">{formatPercent(rollout.settings.shares[phase])}</span>
                </b>
                <span className="mute xs">{texts[kind]}</span>
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
