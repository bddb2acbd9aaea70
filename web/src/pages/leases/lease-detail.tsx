import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { mayAct, useSession } from '../../api/use-session.ts';
import { formatLeft } from '../../parts/format-time.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { TimeBar } from '../../parts/time-bar.tsx';
import { BreakDialog } from './break-dialog.tsx';
import { holderName, type LeaseRow, timeLeft } from './use-leases.ts';

export function LeaseDetail({ lease, nowMs }: { readonly lease: LeaseRow | undefined; readonly nowMs: number }) {
  const { t } = useTranslation();
  const { data: session } = useSession();
  const [isBreaking, setBreaking] = useState(false);
  const [said, setSaid] = useState('');
  if (!lease) {
    return (
      <aside className="card empty">
        <p role="status">{said || t('leases.pick')}</p>
      </aside>
    );
  }
  const { leftMs, share, state } = timeLeft(lease, nowMs);
  const may = mayAct(session, 'operator');
  return (
    <aside className="stack" aria-label={lease.key}>
      <section className="card">
        <div className="card-h">
          <h2 className="mono">{lease.key}</h2>
          <span className="push">
            <StateBadge state={state} word={state === 'lost' ? t('leases.ended') : t(`state.${state}`)} />
          </span>
        </div>
        <div className="gate">
          <div className="bigt">
            <b>{formatLeft(leftMs)}</b>
          </div>
          <TimeBar share={share} state={state} large />
          <dl className="dl">
            <dt>{t('leases.holder')}</dt>
            <dd>
              <b className="strong">{holderName(lease.owner)}</b> <span className="mute xs mono">{lease.owner}</span>
            </dd>
            <dt>{t('leases.token')}</dt>
            <dd>
              <code className="strong">{lease.token}</code> <span className="mute">{t('leases.lowerRefused')}</span>
            </dd>
            {lease.share && (
              <>
                <dt>{t('leases.share')}</dt>
                <dd>{t('leases.weight', { ...lease.share })}</dd>
              </>
            )}
            <dt>{t('leases.waitersTitle')}</dt>
            <dd>
              {lease.waiting === 0 ? (
                t('leases.nobodyWaits')
              ) : (
                <>
                  <b className="strong">{lease.waiting}</b> <span className="mute">{t('leases.wakeOrder')}</span>
                </>
              )}
            </dd>
          </dl>
        </div>
        <div className="card-f">
          <span>
            {may ? t('leases.breakNote') : t('problem.viewer', { act: t('leases.breakDo'), role: 'operator' })}
          </span>
          <Button className="btn sm warnish push" isDisabled={!may} onPress={() => setBreaking(true)}>
            {t('leases.breakOpen')}
          </Button>
        </div>
        {said && (
          <p className="card-f" role="status">
            {said}
          </p>
        )}
      </section>
      <BreakDialog lease={lease} isOpen={isBreaking} onClose={() => setBreaking(false)} onDone={setSaid} />
    </aside>
  );
}
