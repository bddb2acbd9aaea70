import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import type { GuaranteesReply } from '../../../../src/server/index.ts';
import { callApi } from '../../api/call-api.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatClock, formatCount, formatLeft } from '../../parts/format-time.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { useNow } from '../../parts/use-now.ts';
import { When } from '../../parts/when.tsx';

/** What must hold, looked up in the data now; the clocks; and the last fault runs. */
export function GuaranteesPage() {
  const { t, i18n } = useTranslation();
  const nowMs = useNow();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['guarantees'],
    staleTime: 60_000,
    queryFn: () => callApi<GuaranteesReply>('GET', '/api/v1/guarantees'),
  });
  const number = (count: number): string => formatCount(count, i18n.language);
  return (
    <>
      <div className="page-h">
        <h1>{t('guarantees.title')}</h1>
        <span className="sub">{t('guarantees.sub')}</span>
        <div className="push">
          <Button className="btn" isDisabled={isFetching} onPress={() => void refetch()}>
            <Icon name="retry" />
            {t('guarantees.again')}
          </Button>
        </div>
      </div>
      {error && <ProblemNote error={error} onAgain={() => void refetch()} />}
      {data && (
        <div className="stack">
          <section className="card" aria-labelledby="invariants">
            <div className="card-h">
              <h2 id="invariants">{t('guarantees.invariants')}</h2>
              <span className="mute">{t('act.asOf', { time: formatClock(data.atMs, i18n.language) })}</span>
            </div>
            <table className="tbl fixed cards guar">
              <thead>
                <tr>
                  <th>{t('guarantees.state')}</th>
                  <th>{t('guarantees.promise')}</th>
                  <th className="r">{t('guarantees.found')}</th>
                  <th className="r">{t('guarantees.looked')}</th>
                </tr>
              </thead>
              <tbody>
                {data.invariants.map(({ name, violations, looked }) => (
                  <tr key={name}>
                    <td>
                      <StateBadge
                        state={violations === 0 ? 'ok' : 'critical'}
                        icon={violations === 0 ? 's-succeeded' : 's-critical'}
                        word={t(violations === 0 ? 'guarantees.holds' : 'guarantees.broken')}
                      />
                    </td>
                    <td className="lead-cell">{t(`guarantees.inv_${name}`)}</td>
                    <td className="r" data-l={t('guarantees.found')}>
                      {number(violations)}
                    </td>
                    <td className="r" data-l={t('guarantees.looked')}>
                      {number(looked)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            <div className="card-f">
              <Icon name="clock" small />
              <span>
                {t('guarantees.clockText', {
                  offset: number(Math.abs(data.clockOffsetMs)),
                  side: t(data.clockOffsetMs < 0 ? 'guarantees.behind' : 'guarantees.ahead'),
                  plus: number(data.clockUncertaintyMs),
                })}
              </span>
            </div>
          </section>
          <section className="card" aria-labelledby="faults">
            <div className="card-h">
              <h2 id="faults">{t('guarantees.faults')}</h2>
              <span className="mute">{t('guarantees.faultsSub')}</span>
            </div>
            {data.faults.length === 0 ? (
              <Empty title={t('guarantees.none')}>
                <p>
                  {t('guarantees.noneText')} <code>npm run faults</code>
                </p>
              </Empty>
            ) : (
              <table className="tbl fixed cards guar faults">
                <thead>
                  <tr>
                    <th>{t('guarantees.state')}</th>
                    <th>{t('guarantees.experiment')}</th>
                    <th className="r">{t('guarantees.rounds')}</th>
                    <th className="r">{t('guarantees.seed')}</th>
                    <th className="r">{t('guarantees.took')}</th>
                    <th>{t('guarantees.when')}</th>
                  </tr>
                </thead>
                <tbody>
                  {data.faults.map(({ name, title, ok, rounds, seed, seconds, date }) => (
                    <tr key={name}>
                      <td>
                        <StateBadge
                          state={ok ? 'ok' : 'failed'}
                          icon={ok ? 's-succeeded' : 's-failed'}
                          word={t(ok ? 'guarantees.ok' : 'guarantees.failed')}
                        />
                      </td>
                      <td className="lead-cell" title={title} lang="en">
                        <code className="xs">{name}</code> {title}
                      </td>
                      <td className="r" data-l={t('guarantees.rounds')}>
                        {number(rounds)}
                      </td>
                      <td className="r hide">{seed ?? '–'}</td>
                      <td className="r">{formatLeft(seconds * 1_000)}</td>
                      <td>
                        <When ms={Date.parse(date)} nowMs={nowMs} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </section>
        </div>
      )}
    </>
  );
}
