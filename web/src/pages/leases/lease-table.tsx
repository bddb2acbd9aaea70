import { useTranslation } from 'react-i18next';
import { Epoch } from '../../parts/epoch.tsx';
import { formatLeft } from '../../parts/format-time.ts';
import { StateBadge } from '../../parts/state-badge.tsx';
import { TimeBar } from '../../parts/time-bar.tsx';
import { holderName, type LeaseRow, timeLeft } from './use-leases.ts';

export interface LeaseTableProps {
  readonly rows: readonly LeaseRow[];
  readonly nowMs: number;
  readonly chosen: string | undefined;
  readonly prefix: string;
  readonly isLoading: boolean;
  readonly onChoose: (key: string) => void;
  readonly onDropFilter: () => void;
}

const urgency = { lost: 0, jeopardy: 1, held: 2 } as const;

export function LeaseTable(props: LeaseTableProps) {
  const { rows, nowMs, chosen, isLoading, onChoose } = props;
  const { t } = useTranslation();
  if (rows.length === 0 && !isLoading) return <NoLeases {...props} />;
  const sorted = rows
    .map((row) => ({ row, left: timeLeft(row, nowMs) }))
    .sort((a, b) => urgency[a.left.state] - urgency[b.left.state]);
  return (
    <div className="card">
      <table className="tbl fixed cards">
        <thead>
          <tr>
            <th>{t('leases.key')}</th>
            <th>{t('leases.state')}</th>
            <th>{t('leases.holder')}</th>
            <th className="r">{t('leases.token')}</th>
            <th>{t('leases.left')}</th>
            <th className="r">{t('leases.waiting')}</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ row, left }) => (
            // The button in the first cell is for the keyboard; the row is only a larger place to click.
            <tr key={`${row.key} ${row.owner}`} aria-selected={row.key === chosen} onClick={() => onChoose(row.key)}>
              <td className="key lead-cell" title={row.key}>
                <button type="button">{row.key}</button>
              </td>
              <td>
                <StateBadge
                  state={left.state}
                  word={left.state === 'lost' ? t('leases.ended') : t(`state.${left.state}`)}
                />
              </td>
              <td title={row.owner}>{holderName(row.owner)}</td>
              <td className="r" data-l={t('leases.token')} title={String(row.token)}>
                <Epoch value={row.token} />
              </td>
              <td className="bar">
                <span className="kcell">
                  <TimeBar share={left.share} state={left.state} />
                  <span className="num soft xs" data-state={left.state}>
                    {formatLeft(left.leftMs)}
                  </span>
                </span>
              </td>
              <td className={row.waiting > 0 ? 'r wt' : 'r wt hide'} data-l={t('leases.waiting')}>
                {row.waiting > 0 ? <span className="count">{row.waiting}</span> : <span className="mute">–</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="card-f">
        <span>{t('leases.shown', { count: rows.length })}</span>
        <span className="push">{t('leases.clock')}</span>
      </div>
    </div>
  );
}

function NoLeases({ prefix, onDropFilter }: LeaseTableProps) {
  const { t } = useTranslation();
  return (
    <div className="card empty">
      <h3>{prefix === '' ? t('leases.emptyTitle') : t('leases.emptyFiltered', { prefix })}</h3>
      {prefix === '' ? (
        <p>
          {t('leases.emptyHint')} <code>kannuki exec --store {location.origin} --lock demo -- sleep 30</code>
        </p>
      ) : (
        <button type="button" className="btn" onClick={onDropFilter}>
          {t('leases.dropFilter')}
        </button>
      )}
    </div>
  );
}
