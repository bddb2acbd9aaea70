import { FlexRender, type Row } from '@tanstack/react-table';
import { memo } from 'react';
import type { CellContext, runFeatures } from './run-columns.tsx';
import type { RunRow } from './use-runs.ts';

export interface SeenRowProps extends CellContext {
  readonly row: Row<typeof runFeatures, RunRow>;
  readonly index: number;
  readonly isChosen: boolean;
  readonly isCursor: boolean;
  readonly onToggle: (id: number) => void;
}

/** The table makes new rows with every step of the scroll: what is the same run and says the same is not drawn again. */
export const SeenRow = memo(
  function SeenRow({ row, index, isChosen, isCursor, onToggle, t }: SeenRowProps) {
    const { id } = row.original;
    return (
      <tr aria-rowindex={index + 2} aria-selected={isChosen} className={isCursor ? 'cursor' : undefined}>
        <td className="sel">
          <input
            type="checkbox"
            className="check"
            aria-label={t('runs.select', { id })}
            checked={isChosen}
            onChange={() => onToggle(id)}
          />
        </td>
        {row.getAllCells().map((cell) => {
          const { className, label } = cell.column.columnDef.meta ?? {};
          return (
            <td key={cell.id} className={className} data-l={label && t(`run.${label}`)}>
              <FlexRender cell={cell} />
            </td>
          );
        })}
      </tr>
    );
  },
  ({ row, nowMs: beforeMs, ...before }, { row: next, nowMs, ...after }) =>
    row.original === next.original &&
    tickOf(next.original, beforeMs) === tickOf(next.original, nowMs) &&
    (Object.keys(after) as (keyof typeof after)[]).every((name) => before[name] === after[name]),
);

/** Changes when what the row says of time does: each second for what is young or goes on, each minute for what is over. */
function tickOf({ dueAtMs, scheduledForMs, startedAtMs, finishedAtMs }: RunRow, nowMs: number): number {
  const ageMs = nowMs - (dueAtMs ?? scheduledForMs);
  const isGoing = startedAtMs !== null && finishedAtMs === null;
  return isGoing || ageMs < 60_000 ? nowMs : Math.floor(ageMs / 60_000);
}
