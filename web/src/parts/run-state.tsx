import { useTranslation } from 'react-i18next';
import type { RunReply } from '../../../src/server/index.ts';
import { StateBadge } from './state-badge.tsx';

export type RunState = RunReply['run']['state'];

export const runStates: readonly RunState[] = [
  'PENDING',
  'ASSIGNED',
  'RUNNING',
  'ORPHANED',
  'FAILED',
  'TIMED_OUT',
  'SUCCEEDED',
  'CANCELED',
  'SKIPPED',
];

/** As tokens and addresses spell it: TIMED_OUT → timed-out. */
export function stateSlug(state: RunState | 'CONFIRMING'): string {
  return state.toLowerCase().replace('_', '-');
}

export function stateOfSlug(slug: string): RunState | undefined {
  return runStates.find((state) => stateSlug(state) === slug.toLowerCase().replace('_', '-'));
}

/** While a worker's last word is waited for, that is what is told of the run. */
export function shownRunState({ state, continuation }: RunStateBadgeProps): RunState | 'CONFIRMING' {
  return state === 'RUNNING' && continuation === 'CONFIRMING' ? 'CONFIRMING' : state;
}

export interface RunStateBadgeProps {
  readonly state: RunState;
  readonly continuation?: 'NONE' | 'CONFIRMING';
}

export function RunStateBadge(props: RunStateBadgeProps) {
  const { t } = useTranslation();
  const state = shownRunState(props);
  return <StateBadge state={stateSlug(state)} word={t(`runState.${state}`)} spin={state === 'RUNNING'} />;
}
